import type { DeviceSession, SessionsToEnd } from '@/lib/shared/account/devices';
import type { PublicEnv } from '@/lib/shared/config/public-env';
import { securityApiPaths } from '@/lib/shared/security-paths';
import { postJson } from '../api-client';
import { loadAuth } from '../auth/provider/firebase';
import { renewUser, requireUser } from './account-methods';

/**
 * `proof-required`: the user has to authenticate again first; `signed-out`: this session is over; `unavailable`: the server could not
 * answer now.
 */
export type EndResult = 'done' | 'proof-required' | 'signed-out' | 'unavailable' | 'failed';

/** The other sessions of an account. */
export function getOtherDevices(devices: readonly DeviceSession[]): (DeviceSession & { id: string })[] {
  return devices.flatMap((device) => (device.isCurrent || device.id === null ? [] : [{ ...device, id: device.id }]));
}

/** Ends other sessions of the account. */
export async function endSessions(env: PublicEnv, which: SessionsToEnd, token?: string): Promise<EndResult> {
  const body = token === undefined ? which : { ...which, token };
  const result = await postJson<{ customToken?: string }>(securityApiPaths.endSessions, body);
  if (result.ok) {
    // Ending all others has revoked the tokens of this browser, too.
    if (result.data.customToken !== undefined) await renewUser(await loadAuth(env), result.data.customToken);
    return 'done';
  }
  if (result.code === 'recent-login-required' || result.code === 'second-factor-required') return 'proof-required';
  if (result.status === 401) return 'signed-out';
  return result.status === 503 || result.status === 0 ? 'unavailable' : 'failed';
}

/** The same for a user who has just authenticated again at the identity provider. */
export async function endSessionsWithProof(env: PublicEnv, which: SessionsToEnd): Promise<EndResult> {
  return endSessions(env, which, await requireUser(await loadAuth(env)).getIdToken());
}
