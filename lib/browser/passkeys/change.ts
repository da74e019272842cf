import type { PasskeySource } from '@/lib/shared/account/passkeys';
import type { PublicEnv } from '@/lib/shared/config/public-env';
import { reportError } from '@/lib/shared/error-reporting/report';
import { requireUser } from '../account/account-methods';
import { renewUser } from '../auth/provider/renew-user';
import { loadAuth } from '../auth/provider/firebase';
import { removePasskey } from './ceremony';
import { toPasskeyFailure, type PasskeyFailure } from './failure';
import { signalPasskeys } from './signals';

/**
 * A change of the account's passkeys, which requires an authentication within 5 minutes. `source`: absent on /security.
 * `name`: the passkey's name on the page.
 */
export type PasskeyChange = { kind: 'add'; source?: PasskeySource } | { kind: 'remove'; id: string; name: string };

/** A failure, or the id of the changed passkey. */
export type PasskeyOutcome = { failure: PasskeyFailure } | { id: string };

/** A separate module, which is loaded on demand. */
export const loadCreation = () => import('./create');

/**
 * Adds or removes a passkey of the signed-in user, and notifies the browser's password managers.
 * @param isProved whether the user has just re-authenticated at the identity provider; not needed if the session is
 *   recent
 * @param signal closes the browser's dialog when aborted
 * @returns the failure `recent-login-required` if the user must authenticate first
 */
export async function changePasskeys(
  env: PublicEnv,
  change: PasskeyChange,
  isProved: boolean,
  signal: AbortSignal,
): Promise<PasskeyOutcome> {
  try {
    const token = isProved ? await requireUser(await loadAuth(env)).getIdToken() : undefined;
    if (change.kind === 'remove') return await remove(env, change.id, token);
    const { createPasskey } = await loadCreation();
    const result = await createPasskey(change.source ?? 'settings', token, signal);
    return 'failure' in result ? result : result.passkey;
  } catch (error) {
    if (error instanceof Error && error.message === 'No user logged in!') return { failure: 'recent-login-required' };
    reportError(error, { during: `changing passkeys: ${change.kind}` });
    return { failure: 'unknown' };
  }
}

async function remove(env: PublicEnv, id: string, token: string | undefined): Promise<PasskeyOutcome> {
  const removed = await removePasskey(id, token);
  if (!removed.ok) return { failure: toPasskeyFailure(removed) };
  const { customToken, signal } = removed.data;
  // The removal has also revoked the tokens of this browser.
  if (customToken !== undefined) await renewUser(env, customToken);
  await signalPasskeys(signal);
  return { id };
}
