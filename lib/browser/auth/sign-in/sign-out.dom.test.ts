import { expect, it, vi } from 'vitest';
import { parseEnv, getPublicEnv } from '@/lib/server/runtime/config/env';
import { signOutOfFirebase } from '../provider/provider-session';
import { signOut } from './sign-out';

vi.mock(import('../provider/provider-session'), async (original) => ({
  ...(await original()),
  signOutOfFirebase: vi.fn(() => Promise.resolve(null)),
}));

it.each([null, new Error('The identity provider is away')])(
  'tells what failed: %s, and the session',
  async (failure) => {
    // No server listens on this origin.
    window.location.href = 'http://127.0.0.1:9/security';
    vi.mocked(signOutOfFirebase).mockResolvedValue(failure);
    const env = getPublicEnv(parseEnv({ FIREBASE_AUTH_EMULATOR_HOST: '127.0.0.1:9' }));
    const told: string[] = [];
    expect(await signOut(env, { onError: ({ message }) => told.push(message) })).toBe(false);
    expect(told).toEqual([...(failure ? [failure.message] : []), 'The session could not be ended: network']);
  },
);
