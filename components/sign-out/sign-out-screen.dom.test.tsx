import { cleanup, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { carriedEmail } from '@/lib/browser/account/carried-email';
import { rememberProvider } from '@/lib/browser/auth/pending';
import { loadAuth } from '@/lib/browser/auth/provider/firebase';
import { onAuthEvent } from '@/lib/browser/auth/sign-in/events';
import { endSession } from '@/lib/browser/session/end-session';
import { getAuthStatus } from '@/lib/browser/session/state';
import { getPublicEnv, parseEnv } from '@/lib/server/runtime/config/env';
import { renderAtOrigin } from '@/tests/support/render';
import { SignOutScreen } from './sign-out-screen';

const env = getPublicEnv(parseEnv({ FIREBASE_AUTH_EMULATOR_HOST: '127.0.0.1:9' }));
const EMAIL = 'mia@campus.test';
const otherTab = new BroadcastChannel('learner-session');
const submit = vi.spyOn(HTMLFormElement.prototype, 'submit');
const told: unknown[] = [];
let stop: () => void;

beforeEach(() => {
  told.length = 0;
  window.sessionStorage.clear();
  window.localStorage.clear();
  document.cookie = 'kk_logged_in=1; path=/';
  stop = onAuthEvent((event) => told.push(event));
  otherTab.onmessage = ({ data }) => told.push(`other tab: ${String(data)}`);
});
afterEach(() => {
  stop();
  cleanup();
  vi.unstubAllGlobals();
});

/** Returns the identity provider's responses to a sign-in. */
function answer(address: string | URL): Promise<Response> {
  const { pathname } = new URL(address);
  const user = { localId: 'mia', email: EMAIL, emailVerified: true };
  if (pathname.endsWith(':lookup')) return Promise.resolve(Response.json({ users: [user] }));
  return Promise.resolve(Response.json({ ...user, idToken: 'id', refreshToken: 'refresh', expiresIn: '3600' }));
}

/** @returns the provider's user when the form is submitted */
async function pressSignOut(): Promise<unknown> {
  vi.stubGlobal('fetch', answer);
  const [{ signInWithEmailAndPassword }, auth] = await Promise.all([import('firebase/auth'), loadAuth(env)]);
  await signInWithEmailAndPassword(auth, EMAIL, 'correct-horse-7');
  rememberProvider();
  carriedEmail.set(EMAIL);
  expect(auth.currentUser?.email).toBe(EMAIL);
  const submitted = new Promise((resolve) => submit.mockImplementation(() => resolve(auth.currentUser)));
  const props = { email: EMAIL, accountUid: 'mia', destination: '/', action: '/sign-out', failure: null, staying: [] };
  renderAtOrigin(['password'], <SignOutScreen {...props} />);
  await userEvent.click(screen.getByRole('button', { name: 'Sign out' }));
  return submitted;
}

/** The response has arrived, with this cookie. */
function leave(loggedIn: '0' | '1'): void {
  document.cookie = `kk_logged_in=${loggedIn}; path=/`;
  window.dispatchEvent(new Event('pagehide'));
}

it('signs out of the identity provider, then by the form, and records it once that has signed out', async () => {
  expect(await pressSignOut()).toBeNull();
  expect(window.localStorage.getItem('provider-signed-in')).toBeNull();
  expect(screen.getByRole('button', { name: 'Sign out' }).getAttribute('aria-disabled')).toBe('true');
  expect(told).toEqual([]);
  leave('0');
  expect(told).toEqual(['signOut']);
  // Another learner may use this tab next.
  expect(carriedEmail.get()).toBe('');
});

it('records nothing when the form has not signed out; the other tabs check', async () => {
  await pressSignOut();
  leave('1');
  await vi.waitFor(() => expect(told).toEqual(['other tab: session-changed']));
  expect(carriedEmail.get()).toBe(EMAIL);
});

it('can be pressed again where an app was opened and the page stayed, and is recorded once', async () => {
  await pressSignOut();
  const button = screen.getByRole('button', { name: 'Sign out' });
  await vi.waitFor(() => expect(button.getAttribute('aria-disabled')).toBeNull());
  const submitted = new Promise<void>((resolve) => submit.mockImplementation(() => resolve()));
  await userEvent.click(button);
  await submitted;
  leave('0');
  expect(told).toEqual(['signOut']);
});

it('leaves by its own response, not as a page whose session was ended elsewhere', async () => {
  await pressSignOut();
  await endSession(env, 'mia');
  expect(getAuthStatus().status).not.toBe('unauthenticated');
});

it('clears a shared computer', async () => {
  document.cookie = 'shared-computer=1; path=/';
  await pressSignOut();
  window.localStorage.setItem('theme', 'dark');
  document.cookie = 'shared-computer=; path=/; max-age=0';
  leave('0');
  await vi.waitFor(() => expect(told).toEqual(['signOut', 'other tab: device-cleared']));
  expect(window.localStorage.length).toBe(0);
});
