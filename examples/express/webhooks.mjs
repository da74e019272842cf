import { createHmac, timingSafeEqual } from 'node:crypto';

/** Older events may be replays. */
const MAX_AGE_SECONDS = 300;

/**
 * Verifies a webhook of the sign-in app (Standard Webhooks), and that it is new.
 * @param {import('node:http').IncomingHttpHeaders} headers
 * @param {string} body as received: parsing and writing it again would change the signed text
 * @param {{ secret: string, isKnown: (id: string) => boolean | Promise<boolean>, now?: number }} options `secret`: the
 *   `WEBHOOK_SECRET` of the sign-in app; `isKnown`: whether an event with this id was handled before; `now`: milliseconds
 * @returns {Promise<{ id: string, type: string, timestamp: string, data: { uid: string } } | 'known' | 'refused'>} `known`:
 *   answer with 200 and do nothing; `refused`: answer with 400
 */
export async function readWebhook(headers, body, { secret, isKnown, now = Date.now() }) {
  const id = String(headers['webhook-id'] ?? '');
  const timestamp = String(headers['webhook-timestamp'] ?? '');
  const isRecent = Math.abs(now / 1000 - Number(timestamp)) <= MAX_AGE_SECONDS;
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest();
  // There are several while the secret is being replaced.
  const signatures = String(headers['webhook-signature'] ?? '').split(' ');
  const isGenuine = signatures.some((signature) => {
    const given = Buffer.from(signature.replace(/^v1,/, ''), 'base64');
    return signature.startsWith('v1,') && given.length === expected.length && timingSafeEqual(given, expected);
  });
  if (!isRecent || !isGenuine || key.length === 0) return 'refused';
  return (await isKnown(id)) ? 'known' : { id, ...JSON.parse(body) };
}
