import { carryEmail } from '@/lib/account/carried-email';
import type { PublicEnv } from '@/lib/config/public-env';
import { postJson } from '@/lib/api/client';
import { apiPaths } from '@/lib/paths';
import { initiateLogout } from '@/lib/session/client';
import { emitAuthEvent } from './events';
import { leaveProvider } from './provider-session';

type Options = { onError?: (error: Error) => void };

/**
 * Signs out here: first at the identity provider, then the session on the server (specification, section 4).
 * @param options `onError` is told when the session could not be ended
 * @returns whether the session has ended
 */
export async function signOut(env: PublicEnv, { onError }: Options = {}): Promise<boolean> {
  await leaveProvider(env);
  const answer = await initiateLogout();
  if (!answer.ok) {
    onError?.(new Error(`The session could not be ended: ${answer.code}`));
    return false;
  }
  left();
  return true;
}

/** Ends every session of the account, on all devices. @returns whether that is done */
export async function signOutEverywhere(env: PublicEnv): Promise<boolean> {
  const answer = await postJson(apiPaths.signOutEverywhere);
  if (!answer.ok) return false;
  await leaveProvider(env);
  left();
  return true;
}

/** Who comes next in this tab may be somebody else: their form does not begin with this person's address. */
function left(): void {
  carryEmail('');
  emitAuthEvent('signOut');
}
