import { PASSKEY_METHOD } from '@/lib/shared/sign-in-methods';
import type { Passkey, PasskeySource } from '@/lib/shared/account/passkeys';
import { reportError } from '@/lib/shared/error-reporting/report';
import { changeRememberedAccount } from '../auth/sign-in/remembered-accounts';
import { addCredential, requestCreationOptions } from './ceremony';
import { createCredential } from './credential';
import { toDialogFailure, toPasskeyFailure, type PasskeyFailure } from './failure';
import { signalPasskeys, signalUnknownPasskey } from './signals';

export type CreationResult = { passkey: Passkey } | { failure: PasskeyFailure };

/**
 * Creates a passkey for the signed-in user, and notifies the browser's password managers.
 * @param source `upgrade`: the browser creates it without a dialog
 * @param token ID token of a sign-in at most 5 minutes ago; not needed if the session is that recent
 * @param signal closes the browser's dialog when aborted
 * @returns the failure `recent-login-required` if the user must authenticate first
 */
export async function createPasskey(
  source: PasskeySource,
  token?: string,
  signal?: AbortSignal,
): Promise<CreationResult> {
  const begun = await requestCreationOptions(source, token);
  if (!begun.ok) return { failure: toPasskeyFailure(begun) };
  const { options, challenge } = begun.data;
  const openedAt = performance.now();
  try {
    const response = await createCredential(options, {
      signal,
      ...(source === 'upgrade' && { mediation: 'conditional' }),
    });
    const added = await addCredential(challenge, response);
    if (!added.ok) {
      if (isRefusal(added)) await signalUnknownPasskey(options.rp.id ?? '', response.id);
      return { failure: toPasskeyFailure(added) };
    }
    await signalPasskeys(added.data.signal);
    if (response.authenticatorAttachment === 'platform')
      changeRememberedAccount(options.user.name, { method: PASSKEY_METHOD });
    return { passkey: added.data.passkey };
  } catch (error) {
    const failure = toDialogFailure(error, performance.now() - openedAt);
    if (failure === 'unknown') reportError(error, { during: 'creating a passkey' });
    return { failure };
  }
}

/** Whether the server has responded that it does not store the passkey, so that password managers must not keep it. */
function isRefusal({ status, code }: { status: number; code: string }): boolean {
  return status >= 400 && status < 500 && code !== 'too-many-requests' && code !== 'passkey-exists';
}
