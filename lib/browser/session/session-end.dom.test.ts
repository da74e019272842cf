import { afterEach, expect, it, vi } from 'vitest';
import { getPublicEnv, parseEnv } from '@/lib/server/runtime/config/env';
import { sessionApiPaths } from '@/lib/shared/api-paths';
import { ApiProblem } from '@/lib/shared/problem';
import { loadAuth } from '../auth/provider/firebase';
import { extendSession } from './session-end';

vi.mock(import('../auth/provider/firebase'), async (original) => ({ ...(await original()), loadAuth: vi.fn() }));

const env = getPublicEnv(parseEnv({ FIREBASE_AUTH_EMULATOR_HOST: '127.0.0.1:9' }));

afterEach(() => void vi.unstubAllGlobals());

it('is not extended, and says so, where the provider refuses the token that it takes', async () => {
  const getIdToken = () => Promise.reject(new Error('auth/user-token-expired'));
  const auth = { currentUser: { uid: 'mia', getIdToken }, authStateReady: () => Promise.resolve() };
  vi.mocked(loadAuth).mockResolvedValue(auth as never);
  const session = { uid: 'mia', expiresAt: '2100-01-01T00:00:00Z', refreshAfter: '2100-01-01T00:00:00Z' };
  const problem = new ApiProblem('not-found');
  vi.stubGlobal('fetch', (path: string) =>
    Promise.resolve(
      path === sessionApiPaths.renewUserSession
        ? Response.json(problem, { status: problem.status })
        : Response.json(session),
    ),
  );
  expect(await extendSession(env)).toBe('failed');
});
