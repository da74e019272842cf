import { expect, it, vi } from 'vitest';
import { parseEnv, getPublicEnv } from '@/lib/server/runtime/config/env';
import { signOutOfFirebase } from '../provider/provider-session';
import { signOut, signOutByForm } from './sign-out';

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
    expect(await signOut(env, { onError: ({ message }) => told.push(message) })).toBeNull();
    expect(told).toEqual([...(failure ? [failure.message] : []), 'The session could not be ended: network']);
  },
);

it('a form does not wait for ever for an identity provider that does not answer', async () => {
  vi.useFakeTimers();
  vi.mocked(signOutOfFirebase).mockReturnValue(new Promise(() => undefined));
  const form = document.createElement('form');
  const submit = vi.spyOn(form, 'submit').mockReturnValue();
  const env = getPublicEnv(parseEnv({ FIREBASE_AUTH_EMULATOR_HOST: '127.0.0.1:9' }));
  void signOutByForm(env, form);
  await vi.advanceTimersByTimeAsync(1_999);
  expect(submit).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(submit).toHaveBeenCalledOnce();
  vi.useRealTimers();
});
