import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { MemoryStore } from '.';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const later = (seconds: number) => vi.setSystemTime(Date.now() + seconds * 1000);

test('expires entries', async () => {
  const store = new MemoryStore();
  await store.set('key', 'value', 60);
  later(59);
  expect(await store.get('key')).toBe('value');
  later(2);
  expect(await store.get('key')).toBeNull();
});

test('has any of several keys until the last one expires', async () => {
  const store = new MemoryStore();
  await store.set('a', '1', 60);
  expect(await Promise.all([store.hasAny(['b', 'a']), store.hasAny(['b']), store.hasAny([])])).toEqual([
    true,
    false,
    false,
  ]);
  later(61);
  expect(await store.hasAny(['b', 'a'])).toBe(false);
});

test('sets a key once until it expires', async () => {
  const store = new MemoryStore();
  expect(await store.setIfAbsent('key', 'a', 60)).toBe(true);
  expect(await store.setIfAbsent('key', 'b', 60)).toBe(false);
  later(61);
  expect(await store.setIfAbsent('key', 'c', 60)).toBe(true);
  expect(await store.get('key')).toBe('c');
});

test('starts the window at the first call', async () => {
  const store = new MemoryStore();
  expect(await store.countTry('tries', 60)).toBe(1);
  later(40);
  expect(await store.countTry('tries', 60)).toBe(2);
  later(30);
  expect(await store.countTry('tries', 60)).toBe(1);
});

test('counts concurrent calls', async () => {
  const store = new MemoryStore();
  await Promise.all(Array.from({ length: 50 }, () => store.countTry('tries', 60)));
  expect(await store.get('tries')).toBe('50');
});

test('evicts the oldest entries instead of growing', async () => {
  const store = new MemoryStore();
  for (let i = 0; i < 100_010; i += 1) await store.set(String(i), 'x', 60);
  expect(await store.get('0')).toBeNull();
  expect(await store.get('100009')).toBe('x');
});
