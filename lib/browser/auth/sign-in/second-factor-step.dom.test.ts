import type { User } from 'firebase/auth';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { getPublicEnv, parseEnv } from '@/lib/server/runtime/config/env';
import { paths } from '@/lib/shared/paths';
import { ApiProblem } from '@/lib/shared/problem';
import { signOutOfFirebase } from '../provider/provider-session';
import { onSignIn, type SignInEvent } from './events';
import { getLastMethod } from './this-device';
import { broadcastSecondFactorSignIn, goToSecondFactor, redirectToRequiredStep } from './required-step';

vi.mock(import('../provider/provider-session'), async (original) => ({
  ...(await original()),
  signOutOfFirebase: vi.fn(() => Promise.resolve(null)),
}));

const env = getPublicEnv(parseEnv({ FIREBASE_AUTH_EMULATOR_HOST: '127.0.0.1:9' }));
const user = { uid: 'uid-lena', email: 'lena@campus.test', displayName: 'Lena' };
const announced: SignInEvent[] = [];
onSignIn((entry) => announced.push(entry));
const assign = vi.spyOn(window.location, 'assign').mockImplementation(() => undefined);
const nextTask = () => new Promise((resolve) => setTimeout(resolve));

afterEach(() => vi.unstubAllGlobals());
beforeEach(() => {
  announced.length = 0;
  sessionStorage.clear();
  localStorage.clear();
  vi.clearAllMocks();
});

it('signs out at the identity provider before it leaves, and announces the sign-in once it is completed', async () => {
  expect(await goToSecondFactor(env, 'google.com', 'second-factor-required')).toBe(true);
  expect(assign.mock.calls).toEqual([[paths.secondFactor]]);
  expect(vi.mocked(signOutOfFirebase).mock.invocationCallOrder[0]).toBeLessThan(
    assign.mock.invocationCallOrder[0] ?? 0,
  );
  expect([announced, getLastMethod()]).toEqual([[], null]);
  broadcastSecondFactorSignIn(user);
  await nextTask();
  expect(announced).toEqual([{ user, method: 'google.com', mode: 'signIn' }]);
  expect(getLastMethod()).toBe('google.com');
});

it('leads to the page that sets one up, and nowhere for another code', async () => {
  expect(await goToSecondFactor(env, 'password', 'second-factor-setup-required')).toBe(true);
  expect(await goToSecondFactor(env, 'password', 'user-disabled')).toBe(false);
  expect(assign.mock.calls).toEqual([[paths.setUpSecondFactor]]);
});

it('keeps no user in the browser meanwhile', async () => {
  await goToSecondFactor(env, 'password', 'second-factor-required');
  expect({ ...sessionStorage }).toEqual({ 'pending-sign-in': 'password' });
});

it('names no method when the first factor was shown in another tab', async () => {
  broadcastSecondFactorSignIn(user);
  await nextTask();
  expect([announced, getLastMethod()]).toEqual([[], null]);
});

it.each([
  ['too-many-requests', 2_400, 2_400],
  ['mail-unavailable', 5, null],
] as const)(
  'says when a code can be sent to an address that is not confirmed: %s',
  async (code, retryAfter, expected) => {
    vi.stubGlobal('fetch', () => {
      const problem = new ApiProblem(code);
      const headers = { 'retry-after': String(retryAfter) };
      return Promise.resolve(Response.json(problem, { status: problem.status, headers }));
    });
    const unverified = {
      ok: false,
      code: 'email-not-verified',
      status: 403,
      retryAfter: null,
      triesLeft: null,
    } as const;
    const owner = { email: user.email, getIdToken: () => Promise.resolve('token') } as unknown as User;
    const refused = await redirectToRequiredStep(env, owner, 'password', unverified);
    expect(refused).toEqual({ ...unverified, retryAfter: expected });
    expect(assign).not.toHaveBeenCalled();
  },
);
