import { expect, test } from 'vitest';
import { MemoryStore, ResilientStore } from '.';

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
  expect(await shared.get('during')).toBe('2');
  expect(await shared.get('once')).toBe('a');
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

test('the handover does not overwrite entries of the shared store', async () => {
  const shared = new FragileStore();
  const store = new ResilientStore(shared, new MemoryStore());
  shared.down = true;
  await store.countTry('tries', 60);
  shared.down = false;
  await shared.set('tries', '4', 60);
  expect(await store.countTry('tries', 60)).toBe(5);
});
