import { expect, it } from 'vitest';
import { parseEnv, getPublicEnv } from '@/lib/server/runtime/config/env';
import { signOut } from './sign-out';

it('rejects if the session could not be ended', async () => {
  // No server listens on this origin.
  window.location.href = 'http://127.0.0.1:9/security';
  const env = getPublicEnv(parseEnv({ FIREBASE_AUTH_EMULATOR_HOST: '127.0.0.1:9' }));
  const told: string[] = [];
  expect(await signOut(env, { onError: ({ message }) => told.push(message) })).toBe(false);
  expect(told).toEqual(['The session could not be ended: network']);
});
