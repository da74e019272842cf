import { cpuUsage } from 'node:process';
import { expect } from 'vitest';

const LENGTH = 1_000;
const TIMES_LONGER = 64;
/**
 * Linear time grows 64 times, and quadratic time 4,096 times. The limit is 8 times away from both. From about 20,000
 * items on, the engine keeps a list elsewhere, where each item costs up to six times as much.
 */
const MAX_GROWTH = 512;
/** Other load and garbage collection only slow down a run, so use the fastest of many rounds. */
const MAX_TIME_MS = 5_000;

/** Fragments that the patterns match. Repeated fragments form malicious inputs. */
export const HOSTILE_PARTS = [
  ...['a', '0', ' ', '\n', '.', '-', '_', '@', '#', '/', '//', '://', ':', '=', '&', '?', ';', ',', '+', '<', '>'],
  ...['"', "'", '\\', '\\\\', '\\"', '\\\\\\"', '{', '}', '[', ']', '%', '%25', '%2525', '%22', '%5C', '%40', '%3D'],
  ...['%23', '%26', '%E9', '\\u0022', '\\\\u0022', '\\\\\\u0022', '\\u003d', '\\n', 'é', '日', '\uff20', '。', '\ud83d'],
  ...['a.', 'a@', 'a@a', 'a@a.', '@a.a', '"a"@', 'http://', 'https%3A%2F%2F', 'a://a', '://a%3A%2F%2F', '/#', '/a#a'],
  ...['token', 'token=', 'token:', 'token: ', 'token="', "token='", 'token=[', '=token', '&token=', '?token=a&a', 'token=&a'],
  ...['"token"', '"token":', '"token":"', '"token":{', '"token":["', '"token": ', '\\"token\\":\\"', '"token":1 ', '"token":null'],
  ...['\\u0022token\\u0022:\\u0022', '\\\\\\u0022token\\\\\\u0022:\\\\\\u0022'],
  ...['%22token%22%3A%22', '%26token%3D', 'status code: ', 'cookie: ', 'cookie: a\n', '"cookie":"', 'authorization='],
  ...['bearer ', 'basic', 'bearer a', 'eyJ', '-eyJ', 'eyJaaaaaaaaaaa', 'eyJaaaaaaaaaaa.', 'xn--', 'www.', '::ffff:', '1.1.1.1:'],
  ...['null is not an object', 'uid', "can't find variable: ", 'auth/network-request-failed'],
]; // oxfmt-ignore

/**
 * Fails if the time of `work` grows faster than the length of its text.
 * @param part fragment that the text repeats
 */
export function expectLinear(work: (text: string) => unknown, part: string): void {
  const [short, long] = [LENGTH, LENGTH * TIMES_LONGER].map((length) => part.repeat(Math.ceil(length / part.length)));
  // The first run is slow. It would hide growth if only the short text had a slow run.
  let [fastestShortMs, fastestLongMs, spentMs] = [measureMs(() => work(short ?? '')), Infinity, 0];
  while (spentMs < MAX_TIME_MS) {
    const [shortMs, longMs] = [measureMs(() => work(short ?? '')), measureMs(() => work(long ?? ''))];
    fastestShortMs = Math.min(fastestShortMs, shortMs);
    fastestLongMs = Math.min(fastestLongMs, longMs);
    spentMs += shortMs + longMs;
    if (fastestLongMs < MAX_GROWTH * fastestShortMs) return;
  }
  expect(fastestLongMs / fastestShortMs, `growth with ${JSON.stringify(part)}`).toBeLessThan(MAX_GROWTH);
}

/** Measures the CPU time of this process, which excludes other processes. */
function measureMs(work: () => unknown): number {
  const begin = cpuUsage();
  work();
  const { user, system } = cpuUsage(begin);
  return Math.max(1, user + system) / 1_000;
}
