import type { PasskeySignal } from '@/lib/shared/account/passkeys';
import { promiseTimeout } from '@/lib/shared/promise-timeout';

/**
 * Optional methods of a browser to notify password managers of a site's passkeys (WebAuthn Level 3, section 5.1.10).
 */
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

/** Some versions of the DOM's types lack these methods. */
function getSignals(): Signals {
  const methods: object = 'PublicKeyCredential' in window ? PublicKeyCredential : {};
  return methods;
}

/**
 * Notifies password managers of the account's passkeys and current name, as best effort. They hide other passkeys and
 * rename these.
 * @param signal the complete list from our server; null does nothing
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

/**
 * Notifies password managers that our server does not know a passkey. Call it only after such a response, never after a
 * failure.
 */
export async function signalUnknownPasskey(rpId: string, credentialId: string): Promise<void> {
  await tell([() => getSignals().signalUnknownCredential?.({ rpId, credentialId })]);
}

/** How long a ceremony waits for password managers, in milliseconds. */
const TIMEOUT_MS = 300;

/**
 * Runs the calls. A password manager's call can throw at once, which counts as a failed call. A call that never ends
 * does not delay the page.
 */
async function tell(calls: (() => Promise<unknown> | undefined)[]): Promise<void> {
  await Promise.allSettled(calls.map((call) => promiseTimeout((async () => call())(), TIMEOUT_MS)));
}
