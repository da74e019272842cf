import { newIdentity } from './provider-window';
import type { Endpoints } from '../../scripts/lib/stack.mjs';

export const buildLink = ({ appOrigin }: Endpoints, partner: string, redirectUri?: string) =>
  `${appOrigin}/partner-auth/initiate?${new URLSearchParams({ partner, ...(redirectUri && { redirect_uri: redirectUri }) }).toString()}`;

export const newPupil = () => newIdentity('partner.test');
