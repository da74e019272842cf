import { env } from '@/lib/server/runtime';
import type { WebhookEvent, WebhookTest } from './event';
import { signWebhook } from './sign';

/** Of the receiver, in milliseconds (Standard Webhooks: 15 to 30 s). */
const TIMEOUT_MS = 15_000;

/** A webhook that its receiver did not accept. */
export class WebhookError extends Error {
  override name = 'WebhookError';

  /** @param code `HTTP 500`, or why there was no response */
  constructor(readonly code: string) {
    super(`A webhook was not accepted: ${code}`);
  }
}

/** Whether the platform is told of events. */
export function hasWebhook(): boolean {
  return env().WEBHOOK_URL !== undefined;
}

/**
 * Sends an event to `WEBHOOK_URL`, once. Only a status of 2xx is success; redirects are not followed: the signed event is
 * for the configured address alone.
 * @param id of the event, the same in every attempt
 * @throws WebhookError
 */
export async function sendWebhook(id: string, event: WebhookEvent): Promise<void> {
  const status = await postWebhook(id, event, env().WEBHOOK_SECRET);
  if (!isAccepted(status)) throw new WebhookError(`HTTP ${String(status)}`);
}

/** Whether a receiver has accepted the event that it answered with this status. */
export function isAccepted(status: number): boolean {
  return status >= 200 && status <= 299;
}

/**
 * Sends an event to `WEBHOOK_URL`, once.
 * @param secrets that sign it
 * @returns the status of the response
 * @throws WebhookError without a response
 */
export async function postWebhook(
  id: string,
  event: WebhookEvent | WebhookTest,
  secrets: readonly string[],
): Promise<number> {
  const { WEBHOOK_URL: url } = env();
  if (url === undefined) throw new WebhookError('NOT_CONFIGURED');
  const body = JSON.stringify(event);
  const headers = { 'content-type': 'application/json', ...signWebhook({ id, at: new Date(), body }, secrets) };
  return postOnce(url, headers, body);
}

/** Sends a body to a configured address, once, and reads no response but its status. @throws WebhookError without one */
export async function postOnce(url: string, headers: Record<string, string>, body: string): Promise<number> {
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal });
    await response.body?.cancel();
    return response.status;
  } catch (error) {
    const { name, cause } = error as { name?: string; cause?: { code?: unknown } };
    throw new WebhookError(typeof cause?.code === 'string' ? cause.code : (name ?? 'unknown'));
  }
}
