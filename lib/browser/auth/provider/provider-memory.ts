import { storage } from '@/lib/browser/storage';

const MARKER = 'provider-signed-in';

/** Records that a user is signed in at the identity provider in this browser. */
export function rememberProvider(): void {
  storage('localStorage').setItem(MARKER, '1');
}

/** Whether a user is still signed in at the identity provider, e.g. after a sign-out on the platform. */
export function isProviderRemembered(): boolean {
  return storage('localStorage').getItem(MARKER) === '1';
}

export function forgetProvider(): void {
  storage('localStorage').removeItem(MARKER);
}
