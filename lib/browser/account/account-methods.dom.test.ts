import { afterEach, expect, it, vi } from 'vitest';
import { getPublicEnv, parseEnv } from '@/lib/server/runtime/config/env';
import { getPendingRedirect } from '../auth/pending';
import type * as Firebase from '../auth/provider/firebase';
import { keepPendingChange, linkMethod, takePendingChange } from './account-methods';

// Replaces the identity provider with its user and its response.
vi.mock('../auth/provider/firebase', (): Partial<typeof Firebase> => ({
  loadAuth: () => Promise.resolve({ currentUser: {} } as Awaited<ReturnType<typeof Firebase.loadAuth>>),
}));
vi.mock(import('../auth/provider/sdk'), async (original) => ({
  ...(await original()),
  linkWithRedirect: () => Promise.reject(new Error('auth/network-request-failed')),
}));

afterEach(() => {
  vi.useRealTimers();
  sessionStorage.clear();
});

it('returns an interrupted change once', () => {
  keepPendingChange('uid-1', { kind: 'link', id: 'google.com' });
  expect(takePendingChange('uid-1')).toEqual({ kind: 'link', id: 'google.com' });
  expect(takePendingChange('uid-1')).toBeNull();
});

it("discards another user's change, and one that is older than 15 minutes", () => {
  keepPendingChange('uid-1', { kind: 'unlink', id: 'password' });
  expect(takePendingChange('uid-2')).toBeNull();
  expect(takePendingChange('uid-1')).toBeNull();
  vi.useFakeTimers();
  keepPendingChange('uid-1', { kind: 'unlink', id: 'password' });
  vi.advanceTimersByTime(15 * 60_000 + 1);
  expect(takePendingChange('uid-1')).toBeNull();
});

it.each(['{', '"text"', '{"uid":"uid-1","at":9e15,"change":{"kind":"link","id":"elsewhere"}}'])(
  'ignores %s',
  (stored) => {
    sessionStorage.setItem('pending-method-change', stored);
    expect(takePendingChange('uid-1')).toBeNull();
  },
);

it('awaits nothing from a provider that it could not leave for: the next change is shown when it is made', async () => {
  const env = { ...getPublicEnv(parseEnv({ FIREBASE_AUTH_EMULATOR_HOST: '127.0.0.1:9' })), socialSignIn: 'redirect' };
  expect(await linkMethod(env as Parameters<typeof linkMethod>[0], 'google.com', {})).not.toBeNull();
  expect(getPendingRedirect()).toBeNull();
});
