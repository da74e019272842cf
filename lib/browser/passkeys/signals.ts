import type { PasskeySignal } from '@/lib/shared/account/passkeys';

/** What a browser may have: a site tells password managers about its passkeys by it (WebAuthn Level 3, section 5.1.10). */
const getSignals = (): Partial<typeof PublicKeyCredential> =>
  'PublicKeyCredential' in window ? PublicKeyCredential : {};

/**
 * Tells password managers which passkeys the account has, and what it is called now: they hide others, and rename these. Best effort.
 * @param signal the complete list, from our server; null: nothing is told
 */
export async function signalPasskeys(signal: PasskeySignal | null): Promise<void> {
  if (signal === null) return;
  const { rpId, userId, credentialIds: allAcceptedCredentialIds, name, displayName } = signal;
  const signals = getSignals();
  await Promise.allSettled([
    signals.signalAllAcceptedCredentials?.({ rpId, userId, allAcceptedCredentialIds }),
    signals.signalCurrentUserDetails?.({ rpId, userId, name, displayName }),
  ]);
}

/** Tells password managers that our server does not know a passkey: only after it has said so, never after a failure. */
export async function signalUnknownPasskey(rpId: string, credentialId: string): Promise<void> {
  await Promise.allSettled([getSignals().signalUnknownCredential?.({ rpId, credentialId })]);
}
