import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, inject, test, vi } from 'vitest';
import { attackTools } from '../../support/attack';

const { at } = attackTools();
const LETTERS = 15_000;
const FLOOD = 10;
/**
 * Maximum response time of a health check behind ten long URLs, relative to ten short URLs. It was once 120 times as
 * long.
 */
const MAX_RATIO = 10;
const ROUNDS = 4;
/** This is more than the rate limit per minute. */
const MAX_CALLS = 200;

const longPath = (mark: string) => `/api/${mark}${'a'.repeat(LETTERS)}`;
const wait = async (paths: string[]) => {
  const flood = paths.map((path) => fetch(at(path)));
  const begin = performance.now();
  const health = await fetch(at('/api/health/live'));
  const waited = performance.now() - begin;
  expect(health.status).toBe(200);
  for (const answer of await Promise.all(flood)) expect([404, 429]).toContain(answer.status);
  return waited;
};

test('ten long unknown paths do not delay other calls', async () => {
  let [behindShort, behindLong] = [Infinity, Infinity];
  for (let round = 0; round < ROUNDS; round += 1) {
    behindShort = Math.min(behindShort, await wait(Array<string>(FLOOD).fill('/api/a')));
    behindLong = Math.min(behindLong, await wait(Array<string>(FLOOD).fill(longPath(''))));
  }
  expect(behindLong / behindShort).toBeLessThan(MAX_RATIO);
});

test('the log contains the route, never the path', async () => {
  const mark = randomUUID();
  const answer = await fetch(at(longPath(mark)));
  const id = answer.headers.get('x-request-id') ?? '';
  const line = await vi.waitFor(() => {
    const found = readFileSync(inject('appLog'), 'utf8')
      .split('\n')
      .find((each) => each.includes(id));
    if (!found) throw new Error('not written yet');
    return found;
  });
  expect(JSON.parse(line)).toMatchObject({ requestId: id, route: 'other', msg: 'refused' });
  expect(line.length).toBeLessThan(500);
  expect(readFileSync(inject('appLog'), 'utf8')).not.toContain(mark);
});

test('unknown paths are rate limited', async () => {
  let answer = await fetch(at('/api/nowhere'));
  for (let call = 0; call < MAX_CALLS && answer.status === 404; call += 1) {
    expect(await answer.json()).toMatchObject({ code: 'not-found' });
    answer = await fetch(at(`/api/nowhere/${String(call)}`));
  }
  expect(answer.status).toBe(429);
  expect(answer.headers.get('content-type')).toBe('application/problem+json');
  expect(await answer.json()).toMatchObject({ code: 'too-many-requests' });
  const retryAfter = Number(answer.headers.get('retry-after'));
  expect(retryAfter > 0 && retryAfter <= 60).toBe(true);
  // Known routes still respond.
  expect((await fetch(at('/api/health/live'))).status).toBe(200);
});
