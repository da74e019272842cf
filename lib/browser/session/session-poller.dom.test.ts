import { act, cleanup, render } from '@testing-library/react';
import { createElement } from 'react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { getPublicEnv, parseEnv } from '@/lib/server/runtime/config/env';
import { connectErrorSink } from '@/lib/shared/error-reporting/report';
import { forgetProvider, rememberProvider } from '../auth/pending';
import { queryClient } from '../query-client';
import SessionPoller, {
  IDLE_EVENT_THROTTLE_MS,
  IDLE_TIMEOUT_MS,
  POLL_INTERVAL_MS,
  watchActivity,
  type UserActivity,
} from './session-poller';

let activity: UserActivity;
let changes: boolean[];

beforeEach(() => {
  vi.useFakeTimers({ now: 1_000_000 });
  window.localStorage.clear();
  changes = [];
  activity = watchActivity((idle) => changes.push(idle));
});
afterEach(() => {
  activity.stop();
  vi.useRealTimers();
});

const press = () => window.dispatchEvent(new Event('keydown'));

describe('watchActivity', () => {
  it('is idle after 5000 ms without input', () => {
    vi.advanceTimersByTime(IDLE_TIMEOUT_MS - 1);
    expect(activity.isIdle()).toBe(false);
    vi.advanceTimersByTime(1);
    expect(activity.isIdle()).toBe(true);
    expect(changes).toEqual([true]);
  });

  it('is active on input, and reports the return', () => {
    vi.advanceTimersByTime(IDLE_TIMEOUT_MS - 100);
    press();
    vi.advanceTimersByTime(IDLE_TIMEOUT_MS - 100);
    expect(activity.isIdle()).toBe(false);
    vi.advanceTimersByTime(100);
    press();
    expect(changes).toEqual([true, false]);
  });

  it('writes last-active-time at most every 500 ms', () => {
    vi.advanceTimersByTime(IDLE_EVENT_THROTTLE_MS - 1);
    press();
    expect(window.localStorage.getItem('last-active-time')).toBe('1000000');
    vi.advanceTimersByTime(1);
    press();
    expect(window.localStorage.getItem('last-active-time')).toBe(String(1_000_000 + IDLE_EVENT_THROTTLE_MS));
  });

  it('is active while another tab is used', () => {
    vi.advanceTimersByTime(IDLE_TIMEOUT_MS - 100);
    window.localStorage.setItem('last-active-time', String(Date.now()));
    vi.advanceTimersByTime(IDLE_TIMEOUT_MS - 200);
    expect(activity.isIdle()).toBe(false);
    vi.advanceTimersByTime(200);
    expect(activity.isIdle()).toBe(true);
    window.dispatchEvent(new StorageEvent('storage', { key: 'last-active-time', newValue: String(Date.now()) }));
    expect(activity.isIdle()).toBe(false);
  });

  it('ignores a last-active-time in the future', () => {
    window.localStorage.setItem('last-active-time', String(Date.now() + 3_600_000));
    vi.advanceTimersByTime(IDLE_TIMEOUT_MS);
    expect(activity.isIdle()).toBe(true);
  });
});

describe('SessionPoller', () => {
  const checks: string[] = [];
  /** Waits in steps, because the page renders after each. */
  const wait = async (ms: number) => {
    for (let left = ms; left >= 0; left -= 1_000) await act(() => vi.advanceTimersByTimeAsync(Math.min(left, 1_000)));
  };

  beforeEach(async () => {
    checks.length = 0;
    // Nothing to restore there.
    rememberProvider();
    const never = '2100-01-01T00:00:00Z';
    vi.stubGlobal('fetch', (path: string) => {
      checks.push(path);
      return Promise.resolve(Response.json({ uid: 'mia', expiresAt: never, refreshAfter: never }));
    });
    const env = getPublicEnv(parseEnv({ FIREBASE_AUTH_EMULATOR_HOST: '127.0.0.1:9' }));
    render(createElement(SessionPoller, { env, bounced: null, accountUid: 'mia' }));
    await wait(0);
  });
  afterEach(() => {
    cleanup();
    queryClient().clear();
    vi.unstubAllGlobals();
  });

  it('checks at once, and not while the learner is idle', async () => {
    await wait(3 * POLL_INTERVAL_MS);
    expect(checks).toEqual(['/api/check-auth-status']);
  });

  it('checks at once when the learner is back after a check was due', async () => {
    await wait(POLL_INTERVAL_MS);
    press();
    await wait(0);
    expect(checks).toHaveLength(2);
  });

  it('checks at intervals while the learner is active', async () => {
    for (let passed = 0; passed < 2 * POLL_INTERVAL_MS; passed += IDLE_TIMEOUT_MS - 1_000) {
      press();
      await wait(IDLE_TIMEOUT_MS - 1_000);
    }
    expect(checks).toHaveLength(3);
  });

  it('reports that what restores the user of the provider could not be loaded', async () => {
    const reports: unknown[] = [];
    connectErrorSink(({ error }) => reports.push(error));
    vi.doMock('@/lib/browser/auth/sign-in/auto-sign-in', () => {
      throw new Error('offline');
    });
    forgetProvider();
    await wait(POLL_INTERVAL_MS);
    press();
    await wait(3_000);
    vi.useRealTimers();
    await vi.waitFor(() => expect(reports).toHaveLength(1));
    vi.doUnmock('@/lib/browser/auth/sign-in/auto-sign-in');
  });
});
