// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { forgetRedirect, getPendingRedirect, rememberRedirect } from '../redirect/pending-redirect';

beforeEach(() => {
  vi.useFakeTimers();
  window.sessionStorage.clear();
});
afterEach(() => vi.useRealTimers());

const redirect = { provider: 'github.com', mode: 'link' } as const;

it('remembers a redirect until it is forgotten', () => {
  expect(getPendingRedirect()).toBeNull();
  rememberRedirect(redirect);
  expect(getPendingRedirect()).toMatchObject(redirect);
  forgetRedirect();
  expect(getPendingRedirect()).toBeNull();
});

it('knows nothing of one that left a quarter of an hour ago', () => {
  rememberRedirect(redirect);
  vi.advanceTimersByTime(14 * 60_000);
  expect(getPendingRedirect()).toMatchObject(redirect);
  vi.advanceTimersByTime(60_000);
  expect(getPendingRedirect()).toBeNull();
});

it.each(['', 'x', 'null', '[]', '{"provider":"x"}', '{"provider":1,"mode":"link","leftAt":0}'])(
  'makes nothing of %j',
  (kept) => {
    window.sessionStorage.setItem('pending-redirect', kept);
    expect(getPendingRedirect()).toBeNull();
  },
);
