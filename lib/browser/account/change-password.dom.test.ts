import { afterEach, expect, it, vi } from 'vitest';
import { getPublicEnv, parseEnv } from '@/lib/server/runtime/config/env';
import { ApiProblem } from '@/lib/shared/problem';
import { loadAuth } from '../auth/provider/firebase';
import { changePassword, setFirstPassword } from './change-password';

vi.mock(import('../auth/provider/firebase'), async (original) => ({ ...(await original()), loadAuth: vi.fn() }));

const env = getPublicEnv(parseEnv({ FIREBASE_AUTH_EMULATOR_HOST: '127.0.0.1:9099' }));
const email = 'learner@campus.test';

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

function askForFactor(): void {
  const problem = new ApiProblem('second-factor-required');
  vi.stubGlobal('fetch', () => Promise.resolve(Response.json(problem, { status: problem.status })));
}

function signInAtProvider(): void {
  const user = { email, getIdToken: () => Promise.resolve('token') };
  vi.mocked(loadAuth).mockResolvedValue({ currentUser: user, authStateReady: () => Promise.resolve() } as never);
}

it.each([
  [{ signedIn: true }, 'http://localhost:3001/user/dashboard'],
  [{ signedIn: true, deletionAt: '2026-12-02T09:00:00.000Z' }, '/sign-in/keep-account'],
  [{ signedIn: false }, '/forget-password/confirmation'],
])('leads on from the first password, answered by %j', async (answer, page) => {
  signInAtProvider();
  vi.stubGlobal('fetch', () => Promise.resolve(Response.json(answer)));
  const left: (string | URL)[] = [];
  for (const way of ['assign', 'replace'] as const)
    vi.spyOn(window.location, way).mockImplementation((to) => void left.push(to));
  expect(await setFirstPassword(env, 'quiet-lantern-42')).toBeNull();
  expect(left).toEqual([page]);
});

it('leads from a change of the password to a new sign-in where that shows the second factor', async () => {
  askForFactor();
  const failure = await changePassword(env, { email }, { current: 'quiet-lantern-41', next: 'quiet-lantern-42' });
  expect(failure).toMatchObject({ code: 'auth/requires-recent-login' });
});

it('leads from the first password to the code: the sign-in waits for it', async () => {
  askForFactor();
  signInAtProvider();
  expect(await setFirstPassword(env, 'quiet-lantern-42')).toMatchObject({ code: 'second-factor-required' });
});
