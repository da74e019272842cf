import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { attackTools } from '../../support/attack';
import { startOtherApp } from '../../../scripts/lib/stack.mjs';

const { endpoints } = attackTools();
const AT_ONCE = 40;
/** Before the limit, 40 envelopes of 20 MB took 830 MB of memory. */
const MAX_GROWTH_MB = 250;

/** Request bodies that reached the error service, including the app's own reports. */
const arrived: Buffer[] = [];
const service = createServer((req, res) => {
  const chunks: Buffer[] = [];
  req.on('data', (chunk: Buffer) => chunks.push(chunk));
  req.once('end', () => {
    arrived.push(Buffer.concat(chunks));
    res.end('{}');
  });
});
const timesArrived = (packed: Buffer) => arrived.filter((body) => body.equals(packed)).length;
let ownDsn: string;
let app: Awaited<ReturnType<typeof startOtherApp>>;
beforeAll(async () => {
  await once(service.listen(0, '127.0.0.1'), 'listening');
  ownDsn = `http://publickey@127.0.0.1:${String((service.address() as AddressInfo).port)}/42`;
  app = await startOtherApp(endpoints, { NEXT_PUBLIC_SENTRY_DSN: ownDsn });
});
afterAll(async () => {
  await app.stop();
  service.closeAllConnections();
  service.close();
});

const envelope = (dsn: string, bytes: number) =>
  Buffer.concat([Buffer.from(`${JSON.stringify({ dsn })}\n{"type":"event"}\n{}\n`), Buffer.alloc(bytes, ' ')]);
const send = async (packed: Buffer) => {
  const headers = { origin: app.endpoints.appOrigin, 'content-encoding': 'gzip' };
  const init = { method: 'POST', headers, body: new Uint8Array(packed) };
  const answer = await fetch(`${app.endpoints.appOrigin}/monitoring`, init);
  await answer.arrayBuffer();
  return answer;
};

/** Peak memory is in /proc, which only Linux has. */
describe.skipIf(!existsSync('/proc/self/clear_refs'))('the memory of the app', () => {
  const peakMb = () => Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${app.pid}/status`, 'utf8'))?.[1]) / 1024;
  const resetPeak = () => writeFileSync(`/proc/${app.pid}/clear_refs`, '5');

  test.each([
    ['for a foreign service', () => envelope('http://other@127.0.0.1:1/1', 19_000_000)],
    ['of one line that does not end', () => Buffer.alloc(19_000_000, ' ')],
    // The error service's address is public.
    ['for our own service, longer than it takes', () => envelope(ownDsn, 30_000_000)],
  ])('stays as it is when 40 small reports come %s', async (_name, make) => {
    const packed = gzipSync(make());
    expect(packed.length).toBeLessThan(40_000);
    await send(packed);
    resetPeak();
    const before = peakMb();
    const answers = await Promise.all(Array.from({ length: AT_ONCE }, () => send(packed)));
    expect(peakMb() - before).toBeLessThan(MAX_GROWTH_MB);
    for (const { status } of answers) expect([400, 429]).toContain(status);
    expect(timesArrived(packed)).toBe(0);
  });
});

test('too many concurrent reports get 503, and our own reports still pass', async () => {
  const packed = gzipSync(envelope(ownDsn, 19_000_000));
  const answers = await Promise.all(Array.from({ length: AT_ONCE + 20 }, () => send(packed)));
  const refused = answers.filter(({ status }) => status === 429);
  expect(refused.length).toBeGreaterThan(0);
  for (const { headers } of refused) expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  const report = gzipSync(envelope(ownDsn, 10));
  expect((await send(report)).status).toBe(200);
  expect(timesArrived(report)).toBe(1);
});
