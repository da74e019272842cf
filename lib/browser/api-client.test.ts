import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it, vi } from 'vitest';
import { ApiProblem } from '@/lib/shared/problem';
import { postJson } from './api-client';

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

it('times out, and aborts a request that is no longer needed', async () => {
  const silent = createServer(() => undefined).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const address = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/`;
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const asked = postJson(address, {});
  await once(silent, 'request');
  vi.advanceTimersByTime(30_000);
  expect(await asked).toMatchObject({ ok: false, code: 'network' });

  const unwanted = new AbortController();
  const dropped = postJson(address, {}, unwanted.signal);
  await once(silent, 'request');
  unwanted.abort();
  expect(await dropped).toMatchObject({ ok: false, code: 'network' });
  silent.closeAllConnections();
  silent.close();
});

it.each([
  [new ApiProblem('code-wrong').toJSON(), 'code-wrong'],
  [{ code: 'code-wrong' }, 'unreadable'],
  [{ code: 'code-wrong', type: 'urn:problem:code-used' }, 'unreadable'],
  [{ type: 'urn:problem:undefined' }, 'unreadable'],
  [null, 'unreadable'],
])('reads the code of a problem, and of nothing else: %j', async (body, code) => {
  vi.stubGlobal('fetch', () => Promise.resolve(Response.json(body, { status: 400 })));
  expect(await postJson('/api/example')).toMatchObject({ ok: false, code, status: 400 });
});
