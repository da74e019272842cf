import { promiseTimeout } from '@/lib/shared/promise-timeout';

/** Members of `PublicKeyCredential` that not every browser has (WebAuthn Level 3). */
type Means = {
  getClientCapabilities?: () => Promise<Partial<Record<string, boolean>>>;
  isUserVerifyingPlatformAuthenticatorAvailable?: () => Promise<boolean>;
};

/** A browser that does not answer has no means. In milliseconds. */
const TIMEOUT_MS = 500;

const getMeans = (): Means | null => ('PublicKeyCredential' in window ? PublicKeyCredential : null);

/** Whether this browser has passkeys at all. */
export function hasPasskeyMeans(): boolean {
  return getMeans() !== null;
}

/** Whether the browser says that it can do this (WebAuthn Level 3, section 5.1.7). */
export async function isCapable(capability: 'conditionalCreate' | 'immediateGet'): Promise<boolean> {
  try {
    return (
      (await promiseTimeout(Promise.resolve(getMeans()?.getClientCapabilities?.()), TIMEOUT_MS))?.[capability] === true
    );
  } catch {
    return false;
  }
}

/** Whether this device itself can keep a passkey and verify its user: a fingerprint, a face, a screen lock. */
export async function canCreateHere(): Promise<boolean> {
  try {
    const question = Promise.resolve(getMeans()?.isUserVerifyingPlatformAuthenticatorAvailable?.());
    return (await promiseTimeout(question, TIMEOUT_MS)) === true;
  } catch {
    return false;
  }
}
