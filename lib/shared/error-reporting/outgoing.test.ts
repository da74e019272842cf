import { expect, it } from 'vitest';
import { redactedTransport, redactEnvelope } from './options';

type Envelope = Parameters<typeof redactEnvelope>[0];
const envelope = (...items: unknown[]) => [{ dsn: 'https://key@errors.example/1' }, items] as unknown as Envelope;

it('redacts events, and keeps the address of the service', () => {
  const event = { type: 'event' };
  const sent = redactEnvelope(envelope([event, { message: 'failed at /actions?oobCode=SeCrEt1', level: 'error' }]));
  expect(sent).toEqual(envelope([event, { message: 'failed at /actions?oobCode=[redacted]', level: 'error' }]));
});

it('sends only method, URL and browser of a request', () => {
  const request = {
    method: 'POST',
    url: '/actions?oobCode=SeCrEt1',
    data: 'SeCrEt1',
    cookies: { who: 'SeCrEt1' },
    query_string: 'SeCrEt1',
    headers: { 'User-Agent': 'Browser/1', referer: 'SeCrEt1' },
  };
  const sent = redactEnvelope(envelope([{ type: 'transaction' }, { request }]));
  const told = { method: 'POST', url: '/actions?oobCode=[redacted]', headers: { 'User-Agent': 'Browser/1' } };
  expect(sent).toEqual(envelope([{ type: 'transaction' }, { request: told }]));
});

it('redacts recordings, and updates their length', () => {
  const frames = [{ type: 4, data: { href: 'https://x.test/é?code=SeCrEt1', width: 1 } }];
  const recording = `{"segment_id":0}\n${JSON.stringify(frames)}`;
  const sent = JSON.stringify(redactEnvelope(envelope([{ type: 'replay_recording', length: 1 }, recording])));
  expect(sent).not.toContain('SeCrEt1');
  const [, [[header, text] = []]] = JSON.parse(sent) as [unknown, [{ length: number }, string][]];
  expect(header?.length).toBe(Buffer.byteLength(text ?? ''));
});

it('drops what it cannot parse', () => {
  const sent = redactEnvelope(
    envelope([{ type: 'attachment' }, new Uint8Array([1])], [{ type: 'x' }, 'no JSON'], [{}, 7]),
  );
  expect(sent).toEqual(envelope());
});

it('is applied to everything a client sends', async () => {
  const sent: unknown[] = [];
  const transport = {
    send: (each: Envelope) => Promise.resolve((sent.push(each), {})),
    flush: () => Promise.resolve(true),
  };
  const redacted = redactedTransport(() => transport)({ url: '', recordDroppedEvent: () => undefined });
  await redacted.send(envelope([{ type: 'event' }, { token: 'SeCrEt1' }]));
  expect(JSON.stringify(sent)).toContain('[redacted]');
  expect(JSON.stringify(sent)).not.toContain('SeCrEt1');
});
