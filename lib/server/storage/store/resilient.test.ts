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
  calls = 0;
  private async guard<T>(call: () => T | Promise<T>): Promise<T> {
    this.calls += 1;
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

test('uses memory while the shared store is down, and hands over afterwards', async () => {
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
  await expect.poll(() => shared.get('during')).toBe('2');
  await expect.poll(() => shared.get('once')).toBe('a');
});

test('what the shared store lacks just after an outage, another process may not have handed over yet', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const shared = new FragileStore();
  const store = new ResilientStore(shared, new MemoryStore());
  expect(await store.hasAny(['ended'])).toBe(false);
  shared.down = true;
  await store.hasAny(['ended']);
  shared.down = false;
  vi.advanceTimersByTime(4_999);
  expect(await store.hasAny(['ended'])).toBeNull();
  await shared.set('ended', '1', 60);
  expect(await store.hasAny(['ended'])).toBe(true);
  vi.advanceTimersByTime(1);
  expect(await store.hasAny(['another'])).toBe(false);
});

test('with thousands of entries to hand over, a call while the shared store is away is one call of it', async () => {
  const shared = new FragileStore();
  const store = new ResilientStore(shared, new MemoryStore());
  shared.down = true;
  for (let i = 0; i < 3_000; i += 1) await store.set(`ended-${i}`, '1', 60);
  shared.calls = 0;
  for (let i = 0; i < 10; i += 1) await store.hasAny(['another']);
  expect(shared.calls).toBe(10);
});

test('what was deleted is not handed over', async () => {
  const shared = new FragileStore();
  const store = new ResilientStore(shared, new MemoryStore());
  shared.down = true;
  for (let i = 0; i < 300; i += 1) await store.setIfAbsent(`lock-${i}`, '1', 60);
  shared.down = false;
  await store.get('another');
  await store.delete('lock-0');
  await store.delete('lock-299');
  await expect.poll(() => shared.get('lock-150')).toBe('1');
  expect(await shared.hasAny(['lock-0', 'lock-299'])).toBe(false);
  expect(await store.setIfAbsent('lock-0', '1', 60)).toBe(true);
});

test('a lock ends for its holder alone, wherever it is', async () => {
  const shared = new FragileStore();
  const store = new ResilientStore(shared, new MemoryStore());
  for (const [taken, ended] of [
    [false, false],
    [false, true],
    [true, false],
    [true, true],
  ] as const) {
    shared.down = taken;
    await store.setIfAbsent('lock', 'mine', 60);
    shared.down = ended;
    // Unknown, not lost, while the shared store does not answer.
    expect(await store.expireIf('lock', 'another', 0)).toBe(ended ? null : false);
    expect(await store.expireIf('lock', 'mine', 0)).toBe(!ended || taken ? true : null);
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

test('a lock that could not be released is released once the shared store answers again', async () => {
  const shared = new FragileStore();
  const store = new ResilientStore(shared, new MemoryStore());
  await store.setIfAbsent('lock', 'mine', 60);
  await store.setIfAbsent('other', 'of another', 60);
  shared.down = true;
  expect(await store.expireIf('lock', 'mine', 0)).toBeNull();
  expect(await store.expireIf('other', 'mine', 0)).toBeNull();
  shared.down = false;
  await expect.poll(() => shared.get('lock')).toBeNull();
  expect(await shared.get('other')).toBe('of another');
});

test('loses nothing if the shared store fails during the handover', async () => {
  const shared = new FragileStore();
  const store = new ResilientStore(shared, new MemoryStore());
  shared.down = true;
  await store.set('ended', '1', 60);
  await Promise.all([store.get('x'), store.get('ended'), store.get('y')]);
  expect(await store.get('ended')).toBe('1');
  shared.down = false;
  expect(await store.get('ended')).toBe('1');
});

test('hands over the rest while a part of the shared store is away', async () => {
  /** A cluster of which the part of some keys is away. */
  class PartlyDownStore extends FragileStore {
    override setIfAbsent(key: string, value: string, ttl: number) {
      return key.startsWith('away') ? Promise.reject(new Error('down')) : super.setIfAbsent(key, value, ttl);
    }
  }
  const shared = new PartlyDownStore();
  const store = new ResilientStore(shared, new MemoryStore());
  shared.down = true;
  for (let i = 0; i < 250; i += 1) await store.set(`away-${i}`, '1', 60);
  await store.set('here', '1', 60);
  shared.down = false;
  await store.hasAny(['another']);
  await expect.poll(() => shared.get('here')).toBe('1');
});

test('the handover does not overwrite entries of the shared store', async () => {
  const shared = new FragileStore();
  const store = new ResilientStore(shared, new MemoryStore());
  shared.down = true;
  await store.countTry('tries', 60);
  shared.down = false;
  await shared.set('tries', '4', 60);
  expect(await store.countTry('tries', 60)).toBe(5);
});
