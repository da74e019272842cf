import { promiseTimeout } from '@/lib/shared/promise-timeout';
import { isSharedComputer } from '../auth/sign-in/this-device';
import { storage } from '../storage';

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
async function canCreateHere(): Promise<boolean> {
  try {
    const question = Promise.resolve(getMeans()?.isUserVerifyingPlatformAuthenticatorAvailable?.());
    return (await promiseTimeout(question, TIMEOUT_MS)) === true;
  } catch {
    return false;
  }
}

const KEY = 'passkey-offered';

/**
 * Takes the one offer of a passkey on this device: one that can keep it, verify its user, and remember the offer. Never on a shared
 * computer. Whatever the answer is, it is not offered again: /security has it at any time. The account is not stored.
 */
export async function takeOffer(): Promise<boolean> {
  const store = storage('localStorage');
  if (store.getItem(KEY) !== null || isSharedComputer() || !(await canCreateHere())) return false;
  store.setItem(KEY, '1');
  return store.getItem(KEY) !== null;
}
