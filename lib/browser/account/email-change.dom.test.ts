import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { getPublicEnv, parseEnv } from '@/lib/server/runtime/config/env';
import { getRememberedAccounts, rememberAccount } from '../auth/sign-in/remembered-accounts';
import { getAuthStatus, setAuthStatus } from '../session/state';
import { changeRecoveryEmail, confirmEmailChange } from './email-change';
import { changeEmailByLink } from './email-change-link';

vi.mock(import('../auth/provider/renew-user'), () => ({ renewUser: () => Promise.resolve() }));

const env = getPublicEnv(parseEnv({ FIREBASE_AUTH_EMULATOR_HOST: '127.0.0.1:9' }));
const [from, to] = ['ada@campus.test', 'ada@new.test'];
const session = { uid: 'ada', email: from, displayName: 'Ada' };

beforeEach(() => {
  localStorage.clear();
  vi.stubGlobal('fetch', () => Promise.resolve(Response.json({ customToken: 'token' })));
  setAuthStatus({ status: 'authenticated', session } as Parameters<typeof setAuthStatus>[0]);
  rememberAccount({ uid: 'sol', email: 'sol@campus.test', displayName: 'Sol' }, 'password');
  rememberAccount(session, 'password');
});
afterEach(() => {
  vi.unstubAllGlobals();
});

const WAYS: Record<string, (use: 'main' | 'recovery') => Promise<unknown>> = {
  'the code': (use) => confirmEmailChange(env, 'ABC234', session, { email: to, use }),
  'the link': (use) => changeEmailByLink(env, 'link', { email: to, use }),
  'the recovery email': (use) =>
    changeRecoveryEmail(env, { change: use === 'main' ? 'use' : 'remove', email: to }, session),
};

test.each(Object.keys(WAYS))(
  'a change of the email by %s changes the account that this browser remembers, and the session of the page',
  async (way) => {
    await WAYS[way]?.('main');
    expect(getRememberedAccounts().map(({ uid, email }) => [uid, email])).toEqual([
      ['ada', to],
      ['sol', 'sol@campus.test'],
    ]);
    expect(getAuthStatus()).toMatchObject({ status: 'authenticated', session: { uid: 'ada', email: to } });
  },
);

test.each(Object.keys(WAYS))('a change of the recovery email by %s changes no remembered account', async (way) => {
  await WAYS[way]?.('recovery');
  expect(getRememberedAccounts().map(({ email }) => email)).toEqual([from, 'sol@campus.test']);
  expect(getAuthStatus()).toMatchObject({ session: { email: from } });
});
