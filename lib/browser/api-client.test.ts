import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it, vi } from 'vitest';
import { postJson } from './api-client';

afterEach(() => void vi.useRealTimers());

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
