import { expect, it } from 'vitest';
import { listen } from '@/tests/support/listen';
import { getLastRequestId, postJson } from './api-client';

it('is the id of the last response that had one', async () => {
  const ids = ['0d6a1c50-first', '0d6a1c50-second', null];
  const server = await listen((_req, res) => {
    const id = ids.shift();
    if (id) res.setHeader('x-request-id', id);
    res.writeHead(503).end();
  });
  const address = `http://127.0.0.1:${server.port}/`;
  expect(getLastRequestId()).toBeNull();
  await postJson(address);
  expect(getLastRequestId()).toBe('0d6a1c50-first');
  await postJson(address);
  await postJson(address);
  expect(getLastRequestId()).toBe('0d6a1c50-second');
  await server.stop();
});
