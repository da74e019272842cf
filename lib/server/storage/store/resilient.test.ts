import { afterEach, expect, test, vi } from 'vitest';
import { MemoryStore, ResilientStore } from '.';

afterEach(() => {
  vi.useRealTimers();
});

/** A store that can be taken down. */
class FragileStore extends MemoryStore {
  down = false;
  /** Writes, and answers too late. */
  late = false;
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
    return this.guard(async () => {
      const isSet = await super.setIfAbsent(key, value, ttl);
      if (this.late) throw new Error('late');
      return isSet;
    });
  }
  override countTry(key: string, ttl: number) {
    return this.guard(() => super.countTry(key, ttl));
  }
  override expireIf(key: string, value: string, ttl: number) {
    return this.guard(() => super.expireIf(key, value, ttl));
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

test('a lock ends for its holder alone, and is lost where the shared store that answers does not have it', async () => {
  const shared = new FragileStore();
  const store = new ResilientStore(shared, new MemoryStore());
  for (const [taken, renewed] of [
    [false, false],
    [false, true],
    [true, false],
    [true, true],
  ] as const) {
    shared.down = taken;
    await store.setIfAbsent('lock', 'mine', 60);
    shared.down = renewed;
    // Unknown, not lost, while the shared store does not answer.
    expect(await store.expireIf('lock', 'another', 60)).toBe(renewed ? null : false);
    expect(await store.expireIf('lock', 'mine', 60)).toBe(taken === renewed ? true : renewed ? null : false);
    await store.expireIf('lock', 'mine', 0);
    shared.down = false;
    await shared.delete('lock');
    expect(await store.get('lock')).toBeNull();
  }
});

test('a lock that the shared store wrote but answered too late ends there, too, and is renewed there', async () => {
  const shared = new FragileStore();
  const store = new ResilientStore(shared, new MemoryStore());
  shared.late = true;
  expect(await store.setIfAbsent('lock', 'mine', 1)).toBe(true);
  shared.late = false;
  expect(await store.expireIf('lock', 'mine', 60)).toBe(true);
  vi.useFakeTimers({ toFake: ['Date', 'performance'], now: Date.now() + 2_000 });
  expect(await shared.get('lock')).toBe('mine');
  vi.useRealTimers();
  expect(await store.expireIf('lock', 'mine', 0)).toBe(true);
  expect(await shared.get('lock')).toBeNull();
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
