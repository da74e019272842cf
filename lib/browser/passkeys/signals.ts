import type { PasskeySignal } from '@/lib/shared/account/passkeys';
import { promiseTimeout } from '@/lib/shared/promise-timeout';

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

/** How long a ceremony waits for password managers to be told, in milliseconds. */
const TIMEOUT_MS = 300;

/** A call that throws at once, as one of a password manager can, counts as one that fails. One that never ends holds nothing up. */
async function tell(calls: (() => Promise<unknown> | undefined)[]): Promise<void> {
  await Promise.allSettled(calls.map((call) => promiseTimeout((async () => call())(), TIMEOUT_MS)));
}
