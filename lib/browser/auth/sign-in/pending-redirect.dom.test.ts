import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { forgetRedirect, getPendingRedirect, rememberRedirect } from '../pending';

beforeEach(() => {
  vi.useFakeTimers();
  window.sessionStorage.clear();
});
afterEach(() => vi.useRealTimers());

const redirect = { provider: 'github.com', mode: 'link' } as const;

it('remembers a pending redirect until it is cleared', () => {
  expect(getPendingRedirect()).toBeNull();
  rememberRedirect(redirect);
  expect(getPendingRedirect()).toMatchObject(redirect);
  forgetRedirect();
  expect(getPendingRedirect()).toBeNull();
});

it('ignores a pending redirect after 15 minutes', () => {
  rememberRedirect(redirect);
  vi.advanceTimersByTime(14 * 60_000);
  expect(getPendingRedirect()).toMatchObject(redirect);
  vi.advanceTimersByTime(60_000);
  expect(getPendingRedirect()).toBeNull();
});

it.each(['', 'x', 'null', '[]', '{"provider":"x"}', '{"provider":1,"mode":"link","leftAt":0}'])(
  'ignores the invalid value %j',
  (kept) => {
    window.sessionStorage.setItem('pending-redirect', kept);
    expect(getPendingRedirect()).toBeNull();
  },
);
