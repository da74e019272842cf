import { promiseTimeout } from '@/lib/shared/promise-timeout';
import { isSharedComputer } from '../auth/sign-in/this-device';
import { storage } from '../storage';

/** Members of `PublicKeyCredential` that not every browser has (WebAuthn Level 3). */
type Means = {
  getClientCapabilities?: () => Promise<Partial<Record<string, boolean>>>;
  isUserVerifyingPlatformAuthenticatorAvailable?: () => Promise<boolean>;
};

/** How long to wait, in milliseconds. A browser that does not respond counts as incapable. */
const TIMEOUT_MS = 500;

const getMeans = (): Means | null => ('PublicKeyCredential' in window ? PublicKeyCredential : null);

/** Whether this browser supports passkeys. */
export function hasPasskeyMeans(): boolean {
  return getMeans() !== null;
}

/** Whether the browser reports a capability (WebAuthn Level 3, section 5.1.7). */
export async function isCapable(capability: 'conditionalCreate' | 'immediateGet'): Promise<boolean> {
  try {
    return (
      (await promiseTimeout(Promise.resolve(getMeans()?.getClientCapabilities?.()), TIMEOUT_MS))?.[capability] === true
    );
  } catch {
    return false;
  }
}

/** Whether this device can store a passkey and verify its user by fingerprint, face or screen lock. */
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
 * Takes the only offer of a passkey on this device. The device must be able to store a passkey, verify its user and
 * remember the offer. There is no offer on a shared computer. It is never repeated, because /security offers it at any
 * time. The account is not stored.
 */
export async function takeOffer(): Promise<boolean> {
  const store = storage('localStorage');
  if (store.getItem(KEY) !== null || isSharedComputer() || !(await canCreateHere())) return false;
  store.setItem(KEY, '1');
  return store.getItem(KEY) !== null;
}
