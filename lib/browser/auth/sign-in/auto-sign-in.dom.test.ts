// Threats: left-provider-user
import { beforeEach, expect, it, vi } from 'vitest';
import { setPageAccount } from '@/lib/browser/session/state';
import { getPublicEnv, parseEnv } from '@/lib/server/runtime/config/env';
import { ApiProblem } from '@/lib/shared/problem';
import { doubtProvider, isProviderRemembered, mayHaveProviderUser, rememberProvider } from '../pending';
import { ensureProviderUser } from './auto-sign-in';
import { broadcastOwnSignIn } from './broadcast-sign-in';

/** Replaces the SDK, which has one user. */
const sdk = vi.hoisted(() => {
  const auth: {
    currentUser: { uid: string } | null;
    authStateReady: () => Promise<void>;
    signOut: () => Promise<void>;
  } = {
    currentUser: null,
    authStateReady: () => Promise.resolve(),
    signOut: () => Promise.resolve(void (auth.currentUser = null)),
  };
  return { auth, exchange: vi.fn<() => void>() };
});
vi.mock('../provider/firebase', () => ({ loadAuth: () => Promise.resolve(sdk.auth) }));
vi.mock('../provider/sdk', () => ({
  signInWithCustomToken: (_auth: unknown, token: string) => {
    sdk.exchange();
    sdk.auth.currentUser = { uid: token };
    return Promise.resolve({ user: sdk.auth.currentUser });
  },
}));

const env = getPublicEnv(parseEnv({ FIREBASE_AUTH_EMULATOR_HOST: '127.0.0.1:9' }));
const respond = (response: () => Response) => vi.stubGlobal('fetch', () => Promise.resolve(response()));

beforeEach(() => {
  localStorage.clear();
  sessionStorage.clear();
  sdk.exchange.mockReset();
  sdk.auth.currentUser = null;
  setPageAccount('lena');
  respond(() => Response.json({ customToken: 'lena' }));
});

it('restores the user of the page', async () => {
  expect(await ensureProviderUser(env, 'lena')).toBe('known');
  expect(sdk.auth.currentUser).toEqual({ uid: 'lena' });
  expect(isProviderRemembered()).toBe(true);
});

it('restores no user of another account', async () => {
  respond(() => Response.json({ customToken: 'leo' }));
  expect(await ensureProviderUser(env, 'lena')).toBe('sign-in-required');
  expect(sdk.auth.currentUser).toBeNull();
  expect(mayHaveProviderUser()).toBe(false);
});

it.each([
  ['has signed out', null],
  ['is another one', 'leo'],
])('leaves no user behind if the learner of the page %s meanwhile', async (_what, account) => {
  sdk.exchange.mockImplementation(() => setPageAccount(account));
  expect(await ensureProviderUser(env, 'lena')).toBe('sign-in-required');
  expect(sdk.exchange).toHaveBeenCalledOnce();
  expect(sdk.auth.currentUser).toBeNull();
});

it('is remembered before it begins, so that the next page signs out a user of a page that was closed', async () => {
  sdk.exchange.mockImplementation(() => expect(isProviderRemembered()).toBe(true));
  await ensureProviderUser(env, 'lena');
  expect(sdk.exchange).toHaveBeenCalledOnce();
});

it('does not keep a former user if the user of the session cannot come back', async () => {
  sdk.auth.currentUser = { uid: 'leo' };
  rememberProvider();
  const problem = new ApiProblem('recent-login-required');
  respond(() => Response.json(problem, { status: problem.status }));
  expect(await ensureProviderUser(env, 'lena')).toBe('sign-in-required');
  expect(sdk.auth.currentUser).toBeNull();
  expect(mayHaveProviderUser()).toBe(false);
});

it('does not count as signed in after a failure', async () => {
  sdk.exchange.mockImplementation(() => {
    throw new Error('auth/network-request-failed');
  });
  expect(await ensureProviderUser(env, 'lena')).toBe('failed');
  expect(isProviderRemembered()).toBe(false);
  // The next sign-in signs out a user who is still there.
  expect(mayHaveProviderUser()).toBe(true);
});

it('a session that was opened without the SDK does not count on the user there', () => {
  doubtProvider();
  expect(mayHaveProviderUser()).toBe(false);
  rememberProvider();
  broadcastOwnSignIn({ uid: 'lena', email: null, displayName: null }, 'passkey');
  expect(isProviderRemembered()).toBe(false);
  expect(mayHaveProviderUser()).toBe(true);
});
