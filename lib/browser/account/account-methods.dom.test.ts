import { afterEach, expect, it, vi } from 'vitest';
import { keepPendingChange, takePendingChange } from './account-methods';

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
