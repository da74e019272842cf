import { afterEach, expect, it, vi } from 'vitest';
import { getPublicEnv, parseEnv } from '@/lib/server/runtime/config/env';
import { ApiProblem, type ProblemCode } from '@/lib/shared/problem';
import { finishPasskeySignIn } from './sign-in';
import type { Assertion } from './sign-in-api';

const LEGACY = 'http://localhost:3001/old-sign-in';
const env = getPublicEnv(
  parseEnv({ FIREBASE_AUTH_EMULATOR_HOST: '127.0.0.1:9', NEXT_PUBLIC_LEGACY_SIGN_IN_URL: LEGACY }),
);
const assign = vi.spyOn(window.location, 'assign').mockReturnValue();
const assertion = { challenge: 'c', response: { id: 'key' }, rpId: 'localhost' } as Assertion;

/** Sets the server's response to the passkey. */
function refuseWith(code: ProblemCode): void {
  const problem = new ApiProblem(code);
  vi.stubGlobal('fetch', () => Promise.resolve(Response.json(problem, { status: problem.status })));
}
afterEach(() => {
  vi.clearAllMocks();
  vi.unstubAllGlobals();
  document.cookie = 'legacy-user-status=; path=/; max-age=0';
});

it('leads an account that has to sign in at the previous system there', async () => {
  refuseWith('legacy-sign-in-required');
  expect(await finishPasskeySignIn(env, assertion)).toBeNull();
  expect(assign.mock.calls).toEqual([[LEGACY]]);
  expect(document.cookie).toContain('legacy-user-status=legacy');
});

it('says so where the previous system has no address', async () => {
  refuseWith('legacy-sign-in-required');
  expect(await finishPasskeySignIn({ ...env, legacySignInUrl: null }, assertion)).toBe('unknown');
  expect(assign).not.toHaveBeenCalled();
});

it('says what to do where the account needs a new password first', async () => {
  refuseWith('legacy-reset-required');
  expect(await finishPasskeySignIn(env, assertion)).toBe('legacy-reset-required');
  expect(assign).not.toHaveBeenCalled();
});
