import type { DeviceSession, SessionsToEnd } from '@/lib/shared/account/devices';
import type { PublicEnv } from '@/lib/shared/config/public-env';
import { securityApiPaths } from '@/lib/shared/security-paths';
import { postJson } from '../api-client';
import { loadAuth } from '../auth/provider/firebase';
import { requireUser } from './account-methods';

/** `proof-required`: the user has to authenticate again first; `signed-out`: this session is over. */
export type EndResult = 'done' | 'proof-required' | 'signed-out' | 'failed';

/** The other sessions of an account. */
export function getOtherDevices(devices: readonly DeviceSession[]): (DeviceSession & { id: string })[] {
  return devices.flatMap((device) => (device.isCurrent || device.id === null ? [] : [{ ...device, id: device.id }]));
}

/** Ends other sessions of the account. */
export async function endSessions(which: SessionsToEnd, token?: string): Promise<EndResult> {
  const result = await postJson(securityApiPaths.endSessions, token === undefined ? which : { ...which, token });
  if (result.ok) return 'done';
  if (result.code === 'recent-login-required') return 'proof-required';
  return result.status === 401 ? 'signed-out' : 'failed';
}

/** The same for a user who has just authenticated again at the identity provider. */
export async function endSessionsWithProof(env: PublicEnv, which: SessionsToEnd): Promise<EndResult> {
  return endSessions(which, await requireUser(await loadAuth(env)).getIdToken());
}
