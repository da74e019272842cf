// Threats: dependency-failure
import { createServer, type AddressInfo } from 'node:net';
import { expect, test, vi } from 'vitest';
import { openRecords } from '.';

test('a server that accepts a connection and answers no query is away, and not waited for', async () => {
  let queries = 0;
  let isConnected = false;
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', () => {
      if (isConnected) queries += 1;
      // `AuthenticationOk` and `ReadyForQuery` of the PostgreSQL protocol.
      else socket.write(Buffer.from('R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I', 'latin1'));
      isConnected = true;
    });
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const url = `postgres://identity@127.0.0.1:${String((server.address() as AddressInfo).port)}/identity`;
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const opened = openRecords({ kind: 'postgres', url });
    const end = expect(opened).rejects.toMatchObject({ name: 'RecordsError', isAway: true });
    await expect.poll(() => queries).toBe(1);
    vi.advanceTimersByTime(120_000);
    await end;
  } finally {
    vi.useRealTimers();
    server.close();
  }
});
