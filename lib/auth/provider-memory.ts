import { storage } from '@/lib/storage';

const MARKER = 'provider-signed-in';

/** Notes that the identity provider keeps someone signed in in this browser. */
export function rememberProvider(): void {
  storage('localStorage').setItem(MARKER, '1');
}

/** Whether someone was left behind at the identity provider, e.g. after a sign-out on the platform. */
export function isProviderRemembered(): boolean {
  return storage('localStorage').getItem(MARKER) === '1';
}

export function forgetProvider(): void {
  storage('localStorage').removeItem(MARKER);
}
