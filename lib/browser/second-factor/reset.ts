import { secondFactorPaths } from '@/lib/shared/security-paths';
import type { CallFailure, EmailSent } from '../account/api';
import { postJson } from '../api-client';
import type { SignInEnd } from './sign-in';

export const requestResetCode = () => postJson<EmailSent>(secondFactorPaths.resetCode);

/** @returns when the second factor is turned off, RFC 3339 */
export const requestReset = (code: string) => postJson<{ effectiveAt: string }>(secondFactorPaths.reset, { code });

/** @returns null for a failure that leaves the sign-in as it is */
export function getResetEnd({ code, status }: CallFailure): SignInEnd | null {
  if (code === 'sign-in-expired') return 'expired';
  return status === 401 ? 'refused' : null;
}

/** @param code of the link of an email */
export const cancelResetByLink = (code: string) => postJson(secondFactorPaths.cancelResetByLink, { code });
