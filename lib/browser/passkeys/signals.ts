import type { PasskeySignal } from '@/lib/shared/account/passkeys';

/** What a browser may have: a site tells password managers about its passkeys by it (WebAuthn Level 3, section 5.1.10). */
type Signals = {
  signalAllAcceptedCredentials?: (options: {
    rpId: string;
    userId: string;
    allAcceptedCredentialIds: string[];
  }) => Promise<void>;
  signalCurrentUserDetails?: (options: {
    rpId: string;
    userId: string;
    name: string;
    displayName: string;
  }) => Promise<void>;
  signalUnknownCredential?: (options: { rpId: string; credentialId: string }) => Promise<void>;
};

const getSignals = (): Signals => ('PublicKeyCredential' in window ? PublicKeyCredential : {});

/**
 * Tells password managers which passkeys the account has, and what it is called now: they hide others, and rename these. Best effort.
 * @param signal the complete list, from our server; null: nothing is told
 */
export async function signalPasskeys(signal: PasskeySignal | null): Promise<void> {
  if (signal === null) return;
  const { rpId, userId, credentialIds: allAcceptedCredentialIds, name, displayName } = signal;
  const signals = getSignals();
  await tell([
    () => signals.signalAllAcceptedCredentials?.({ rpId, userId, allAcceptedCredentialIds }),
    () => signals.signalCurrentUserDetails?.({ rpId, userId, name, displayName }),
  ]);
}

/** Tells password managers that our server does not know a passkey: only after it has said so, never after a failure. */
export async function signalUnknownPasskey(rpId: string, credentialId: string): Promise<void> {
  await tell([() => getSignals().signalUnknownCredential?.({ rpId, credentialId })]);
}

/** A call that throws at once, as one of a password manager can, counts as one that fails. */
async function tell(calls: (() => Promise<unknown> | undefined)[]): Promise<void> {
  await Promise.allSettled(calls.map(async (call) => call()));
}
