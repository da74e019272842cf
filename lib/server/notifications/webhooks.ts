import { createHmac } from 'node:crypto';
import { readWebhookTarget, type WebhookTarget } from '@/lib/server/runtime';
import type { WebhookEvent } from '@/lib/server/storage';
import { abortAfter } from '@/lib/shared/time-limit';

/** Timeout of the receiver, in milliseconds (Standard Webhooks: 15 to 30 s). */
const TIMEOUT_MS = 15_000;

/** A webhook that its receiver did not accept. */
export class WebhookError extends Error {
  override name = 'WebhookError';

  /** @param code `HTTP 500`, or why there was no response @param isAway the receiver did not respond */
  constructor(
    readonly code: string,
    readonly isAway = false,
  ) {
    super(`A webhook was not accepted: ${code}`);
  }
}

/** An operator's test of the receiver (`doctor --send-webhook`), which requires no action. */
type WebhookTest = { type: 'webhook.test'; timestamp: string; data: Record<never, never> };

/**
 * Sends an event to a receiver, once. Only a status of 2xx is success. Redirects are not followed, because the signed
 * event is only for the configured address.
 * @param receiver name of the receiver; null for the receiver of `WEBHOOK_URL`
 * @param id id of the event, the same in every attempt
 * @throws WebhookError
 */
export async function sendWebhook(receiver: string | null, id: string, event: WebhookEvent): Promise<void> {
  const target = await readWebhookTarget(receiver);
  // The receiver was removed, or this process has not yet read its configuration. The event is retried.
  if (target === null) throw new WebhookError('NOT_CONFIGURED', true);
  const status = await postWebhook(target, id, event);
  if (!isAccepted(status)) throw new WebhookError(`HTTP ${String(status)}`);
}

/** Decides by the status of its response whether a receiver has accepted the event. */
export function isAccepted(status: number): boolean {
  return status >= 200 && status <= 299;
}

/**
 * Sends an event, once.
 * @returns the status of the response
 * @throws WebhookError without a response
 */
export async function postWebhook(
  { url, secrets }: WebhookTarget,
  id: string,
  event: WebhookEvent | WebhookTest,
): Promise<number> {
  const body = JSON.stringify(event);
  const headers = { 'content-type': 'application/json', ...signWebhook({ id, at: new Date(), body }, secrets) };
  return postOnce(url, headers, body);
}

/**
 * Sends a body to a configured address, once, and reads only the status of the response.
 * @throws WebhookError without a response
 */
export async function postOnce(url: string, headers: Record<string, string>, body: string): Promise<number> {
  try {
    const signal = abortAfter(TIMEOUT_MS);
    const response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal });
    await response.body?.cancel();
    return response.status;
  } catch (error) {
    const { name, cause } = error as { name?: string; cause?: { code?: unknown } };
    throw new WebhookError(typeof cause?.code === 'string' ? cause.code : (name ?? 'unknown'), true);
  }
}

/** Prefix of Standard Webhooks secrets. The rest is base64. */
export const SECRET_PREFIX = 'whsec_';

/**
 * Builds the headers of a webhook (Standard Webhooks 1.0, symmetric signatures).
 * @param id id of the event, the same in every attempt
 * @param at time of this attempt; receivers refuse old times, which may be replayed
 * @param secrets each of them signs; during a replacement, receivers accept the signature of the secret they have
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
