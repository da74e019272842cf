import { afterEach, expect, test, vi } from 'vitest';
import { MemoryStore, ResilientStore } from '.';

afterEach(() => {
  vi.useRealTimers();
});

/** A store that can be taken down. */
class FragileStore extends MemoryStore {
  down = false;
  private async guard<T>(call: () => T | Promise<T>): Promise<T> {
    if (this.down) throw new Error('down');
    return call();
  }
  override get(key: string) {
    return this.guard(() => super.get(key));
  }
  override hasAny(keys: readonly string[]) {
    return this.guard(() => super.hasAny(keys));
  }
  override set(key: string, value: string, ttl: number) {
    return this.guard(() => super.set(key, value, ttl));
  }
  override setIfAbsent(key: string, value: string, ttl: number) {
    return this.guard(() => super.setIfAbsent(key, value, ttl));
  }
  override countTry(key: string, ttl: number) {
    return this.guard(() => super.countTry(key, ttl));
  }
  override delete(key: string) {
    return this.guard(() => super.delete(key));
  }
}

test('uses memory while the shared store is down, reads it as long as it lives, and copies nothing', async () => {
  const shared = new FragileStore();
  const store = new ResilientStore(shared, new MemoryStore());
  await store.set('before', '1', 60);
  shared.down = true;
  expect(await store.get('before')).toBeNull();
  expect(await store.hasAny(['before'])).toBeNull();
  await store.set('during', '2', 60);
  expect(await store.setIfAbsent('once', 'a', 60)).toBe(true);
  expect(await store.setIfAbsent('once', 'b', 60)).toBe(false);
  expect(await store.hasAny(['none', 'during'])).toBe(true);
  expect(await store.get('during')).toBe('2');
  shared.down = false;
  expect(await store.get('before')).toBe('1');
  expect(await store.hasAny(['none', 'during'])).toBe(true);
  expect(await store.setIfAbsent('once', 'b', 60)).toBe(false);
  expect([await shared.get('during'), await shared.get('once')]).toEqual([null, null]);
  await store.set('during', '3', 60);
  expect([await shared.get('during'), await store.get('during')]).toEqual(['3', '3']);
});

test('for a while after an outage, the lack of a mark says nothing: another process may have kept it', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const shared = new FragileStore();
  const store = new ResilientStore(shared, new MemoryStore());
  const outages = [
    async () => {
      shared.down = true;
      await store.hasAny(['ended']);
      shared.down = false;
    },
    // One that no call has met.
    () => Promise.resolve(store.doubt()),
  ];
  for (const goAway of outages) {
    expect(await store.hasAny(['another'])).toBe(false);
    await goAway();
    vi.advanceTimersByTime(24_999);
    expect(await store.hasAny(['another'])).toBeNull();
    await shared.set('ended', '1', 60);
    expect(await store.hasAny(['ended'])).toBe(true);
    vi.advanceTimersByTime(1);
  }
});

test('a process counts the tries of the others, too, after an outage', async () => {
  const shared = new FragileStore();
  const store = new ResilientStore(shared, new MemoryStore());
  shared.down = true;
  await store.countTry('tries', 60);
  shared.down = false;
  await shared.set('tries', '4', 60);
  expect(await store.countTry('tries', 60)).toBe(5);
});
