import { createHmac } from 'node:crypto';

/** How secrets of Standard Webhooks begin; the rest is base64. */
export const SECRET_PREFIX = 'whsec_';

/**
 * The headers of a webhook (Standard Webhooks 1.0, symmetric signatures).
 * @param id of the event: the same in every attempt
 * @param at of this attempt: receivers refuse old ones, which may be replayed
 * @param secrets each signs: while one is replaced, receivers accept the signature of the one they have
 */
export function signWebhook(
  { id, at, body }: { id: string; at: Date; body: string },
  secrets: readonly string[],
): Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string> {
  const timestamp = String(Math.floor(at.getTime() / 1000));
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  });
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}
