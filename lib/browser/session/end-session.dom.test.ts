import { expect, it, vi } from 'vitest';
import { getPublicEnv, parseEnv } from '@/lib/server/runtime/config/env';
import { endSession, setLeaving } from './end-session';
import { getAuthStatus, getPageAccount, setPageAccount } from './state';

const env = getPublicEnv(parseEnv({ FIREBASE_AUTH_EMULATOR_HOST: '127.0.0.1:9' }));
const { signOutOfFirebase } = vi.hoisted(() => ({ signOutOfFirebase: vi.fn(() => Promise.resolve()) }));
vi.mock('@/lib/browser/auth/provider/provider-session', () => ({ signOutOfFirebase }));
const replace = vi.spyOn(window.location, 'replace').mockReturnValue();

it.each<[page: string, accountUid: string | undefined, ways: string[], signOuts: number]>([
  // The provider's sign-out would undo a sign-in that an emailed link has begun.
  ['/actions', undefined, [], 0],
  ['/security', 'mia', ['/sign-in?notification=AutoSignOut&return_to=security'], 1],
  ['/registration/success', undefined, ['/sign-in?notification=AutoSignOut'], 1],
  ['/app-shell', undefined, ['/sign-in?notification=AutoSignOut'], 1],
  ['/sign-out', 'mia', ['/sign-in?notification=AutoSignOut'], 1],
  ['/sign-in', undefined, [], 1],
  // With a session, the next account would set up or show its second factor on this account's page.
  ['/sign-in/set-up-second-factor', 'mia', ['/sign-in?notification=AutoSignOut'], 1],
  ['/sign-in/second-factor', 'mia', ['/sign-in?notification=AutoSignOut'], 1],
  // Typed text and a pending change need no session there.
  ['/sign-in/set-up-second-factor', undefined, [], 1],
  ['/sign-in/second-factor', undefined, [], 1],
  ['/sign-in/link-account', undefined, [], 1],
  ['/registration/confirm', undefined, [], 1],
  ['/forget-password/reset', undefined, [], 1],
  ['/first-login-reset-password', undefined, [], 1],
  ['/partner-auth/initiate', undefined, [], 1],
])('the end of the session, on %s of the account %s', async (page, accountUid, ways, signOuts) => {
  window.location.href = `http://localhost:3000${page}`;
  vi.clearAllMocks();
  setPageAccount('mia');
  await endSession(env, accountUid);
  expect(replace.mock.calls.flat()).toEqual(ways);
  expect(signOutOfFirebase).toHaveBeenCalledTimes(signOuts);
  expect(getAuthStatus()).toEqual({ status: 'unauthenticated' });
  expect(getPageAccount()).toBe(signOuts > 0 && ways.length === 0 ? null : 'mia');
});

it('a check that hears of the sign-out of its own page first leads nowhere: the response clears the cookies', async () => {
  window.location.href = 'http://localhost:3000/security';
  vi.clearAllMocks();
  setLeaving(true);
  await endSession(env, 'mia');
  setLeaving(false);
  expect(replace).not.toHaveBeenCalled();
  expect(signOutOfFirebase).not.toHaveBeenCalled();
});
