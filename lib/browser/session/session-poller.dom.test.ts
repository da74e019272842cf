import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { IDLE_EVENT_THROTTLE_MS, IDLE_TIMEOUT_MS, watchActivity, type Activity } from './session-poller';

let activity: Activity;
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
