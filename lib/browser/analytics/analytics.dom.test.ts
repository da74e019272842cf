import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Analytics, type AnalyticsPlugin } from './analytics';

/** A fake service that fails on demand and records its calls. */
class Service implements AnalyticsPlugin {
  readonly done: string[] = [];
  failures = 0;
  isSilent = false;
  private id = '$device:1';

  distinctId = () => this.id;
  reset = () => {
    this.done.push('reset');
    this.id = '$device:2';
  };
  identify = (id: string) => {
    this.done.push(`identify ${id}`);
    this.failures -= 1;
    if (this.failures >= 0) throw new Error('no answer for pat@campus.test');
    this.id = id;
  };
  withdraw = () => void this.done.push('withdraw');
  alias = (alias: string, id: string) => void this.done.push(`alias ${alias} of ${id}`);
  setPeople = (properties: object) => void this.done.push(`people ${JSON.stringify(properties)}`);
  track = (event: string) => {
    this.done.push(`track ${event}`);
    return this.isSilent ? new Promise<void>(() => undefined) : Promise.resolve();
  };
}

const pat = { email: 'pat@campus.test', uid: 'uid-1' };
const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
let service: Service;
let analytics: Analytics;

beforeEach(() => {
  vi.useFakeTimers();
  warn.mockClear();
  window.localStorage.clear();
  service = new Service();
  analytics = new Analytics(Promise.resolve(service), () => true);
});
afterEach(() => vi.useRealTimers());

it('retries to identify after 100 ms and after 1 s', async () => {
  service.failures = 2;
  const identified = analytics.identify(pat);
  await vi.advanceTimersByTimeAsync(99);
  expect(service.done).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(service.done).toHaveLength(2);
  await vi.advanceTimersByTimeAsync(999);
  expect(service.done).toHaveLength(2);
  await vi.advanceTimersByTimeAsync(1);
  await identified;
  expect(service.done).toEqual([
    ...Array<string>(3).fill('identify pat@campus.test'),
    'alias uid-1 of pat@campus.test',
  ]);
  expect(warn).not.toHaveBeenCalled();
});

it('gives up after the third attempt, and logs it without the email', async () => {
  service.failures = 3;
  const identified = analytics.identify(pat);
  await vi.advanceTimersByTimeAsync(1_100);
  await expect(identified).resolves.toBeUndefined();
  expect(service.done).toHaveLength(3);
  expect(JSON.stringify(warn.mock.calls)).toMatch(/no answer for \[redacted\]/);
});

it('resets for another learner, not for the same one', async () => {
  await analytics.identify(pat);
  await analytics.identify(pat);
  await analytics.identify({ email: 'kim@campus.test', uid: 'uid-2' });
  expect(service.done).toEqual([
    'identify pat@campus.test',
    'alias uid-1 of pat@campus.test',
    'identify pat@campus.test',
    'reset',
    'identify kim@campus.test',
    'alias uid-2 of kim@campus.test',
  ]);
  await analytics.alias('more');
  await analytics.alias('more');
  expect(service.done.slice(6)).toEqual(['alias more of kim@campus.test']);
  expect(window.localStorage.getItem('mp_aliases_kim@campus.test'.replace(/[@.]/g, '_'))).toBe('["uid-2","more"]');
});

it('ignores a record of aliases that cannot be read', async () => {
  for (const broken of ['{', '{"0":"uid-1"}', '[1,null]']) {
    window.localStorage.setItem('mp_aliases_pat_campus_test', broken);
    await analytics.identify(pat);
    expect(window.localStorage.getItem('mp_aliases_pat_campus_test')).toBe('["uid-1"]');
  }
});

it('times out after 5 s if the service does not respond', async () => {
  await analytics.identify(pat);
  service.isSilent = true;
  let over = false;
  const tracked = analytics.track('lesson').then(() => (over = true));
  await vi.advanceTimersByTimeAsync(4_999);
  expect(over).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  await tracked;
  expect(warn).toHaveBeenCalledOnce();
});

it('times out after 10 s if the service does not load', async () => {
  analytics = new Analytics(new Promise(() => undefined), () => true);
  let over = false;
  const identified = analytics.identify(pat).then(() => (over = true));
  await vi.advanceTimersByTimeAsync(9_999);
  expect(over).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  await identified;
  expect(warn).toHaveBeenCalledOnce();
});

it('ignores a service that cannot be loaded', async () => {
  analytics = new Analytics(Promise.reject(new Error('blocked')), () => true);
  await analytics.identify(pat);
  await analytics.peopleSet({ name: 'Pat' });
  await analytics.track('lesson');
  expect(warn).toHaveBeenCalledTimes(3);
});

it('does nothing on the server', async () => {
  vi.stubGlobal('window', undefined);
  await analytics.identify(pat);
  await analytics.track('lesson');
  vi.unstubAllGlobals();
  expect(service.done).toEqual([]);
});
