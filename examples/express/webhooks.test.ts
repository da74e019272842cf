// Threats: forged-webhook
import { expect, it } from 'vitest';
import { signWebhook } from '@/lib/server/notifications/webhooks';
import { readWebhook } from './webhooks.mjs';

const secret = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
const other = `whsec_${Buffer.alloc(32, 2).toString('base64')}`;
const at = new Date('2026-11-30T09:00:00Z');
const event = { type: 'account.deleted', timestamp: at.toISOString(), data: { uid: 'u-1' } };
const body = JSON.stringify(event);
const sign = (secrets: string[]) => signWebhook({ id: 'event-1', at, body }, secrets);
const read = (headers: Record<string, string>, text = body, now = at.getTime()) =>
  readWebhook(headers, text, { secret, isKnown: (id) => id === 'event-known', now });

it('reads an event of the sign-in app, also while the secret is replaced', async () => {
  expect(await read(sign([secret]))).toEqual({ id: 'event-1', ...event });
  expect(await read(sign([other, secret]))).toEqual({ id: 'event-1', ...event });
});

it('recognizes an event that was handled before', async () => {
  expect(await read(signWebhook({ id: 'event-known', at, body }, [secret]))).toBe('known');
});

it.each([
  ['another secret', () => read(sign([other]))],
  ['another body', () => read(sign([secret]), body.replace('u-1', 'u-2'))],
  ['another id', () => read({ ...sign([secret]), 'webhook-id': 'event-2' })],
  ['another time', () => read({ ...sign([secret]), 'webhook-timestamp': '1796029201' })],
  ['an old event', () => read(sign([secret]), body, at.getTime() + 301_000)],
  ['an event of the future', () => read(sign([secret]), body, at.getTime() - 301_000)],
  ['no time', () => read({ ...sign([secret]), 'webhook-timestamp': '' })],
  ['no signature', () => read({ ...sign([secret]), 'webhook-signature': '' })],
  [
    'an unknown version',
    () => read({ ...sign([secret]), 'webhook-signature': sign([secret])['webhook-signature'].replace('v1', 'v0') }),
  ],
  ['no headers', () => read({})],
])('refuses %s', async (_name, attempt) => {
  expect(await attempt()).toBe('refused');
});

it('refuses everything without a secret', async () => {
  const empty = signWebhook({ id: 'event-1', at, body }, ['whsec_']);
  expect(await readWebhook(empty, body, { secret: '', isKnown: () => false, now: at.getTime() })).toBe('refused');
});
