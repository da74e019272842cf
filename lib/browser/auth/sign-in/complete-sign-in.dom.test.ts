// Threats: pending-credential
import type { User } from 'firebase/auth';
import { beforeEach, expect, it, vi } from 'vitest';
import { createUserSession } from '@/lib/browser/session/api';
import { getPublicEnv, parseEnv } from '@/lib/server/runtime/config/env';
import { getPendingLink, keepPendingLink } from '../pending';
import { signOutOfFirebase } from '../provider/provider-session';
import { completeSignIn } from './complete-sign-in';

vi.mock(import('@/lib/browser/session/api'), async (original) => ({
  ...(await original()),
  createUserSession: vi.fn(() => Promise.resolve({ ok: true as const, status: 200, data: {} })),
}));
vi.mock(import('../provider/provider-session'), async (original) => ({
  ...(await original()),
  signOutOfFirebase: vi.fn(() => Promise.resolve(null)),
}));

const env = getPublicEnv(parseEnv({ FIREBASE_AUTH_EMULATOR_HOST: '127.0.0.1:9' }));
vi.spyOn(window.location, 'replace').mockReturnValue();
const other = { uid: 'leo', email: 'leo@acme.test', getIdToken: () => Promise.resolve('token') } as unknown as User;

beforeEach(() => {
  vi.clearAllMocks();
  window.sessionStorage.clear();
  keepPendingLink({ email: 'ola@acme.test', provider: 'github.com', credential: {}, methods: [] });
});

it('on the page that links, another account is refused, and the right one can still sign in', async () => {
  window.location.href = 'http://localhost:3000/sign-in/link-account';
  const refused = await completeSignIn(env, other, 'google.com');
  expect(refused?.code).toBe('auth/link/invalid-email-for-link');
  expect(getPendingLink()).not.toBeNull();
  expect(signOutOfFirebase).toHaveBeenCalled();
  expect(createUserSession).not.toHaveBeenCalled();
});

it('with an organization, another account signs in, and nothing is linked to it', async () => {
  window.location.href = 'http://localhost:3000/sign-in/enterprise';
  expect(await completeSignIn(env, other, 'saml.acme')).toBeNull();
  expect(getPendingLink()).toBeNull();
  expect(signOutOfFirebase).not.toHaveBeenCalled();
  expect(createUserSession).toHaveBeenCalledWith('token');
});
