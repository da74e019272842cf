import { randomBytes, randomUUID } from 'node:crypto';
import { env } from '@/lib/server/runtime';
import { hasWebhook, isAccepted, postWebhook, WebhookError, SECRET_PREFIX } from '@/lib/server/notifications';
import type { Finding } from './types';

const what = 'webhook';
/** Of a receiver that has looked at the signature. */
const REFUSALS = [400, 401, 403, 422];
const ACTION = 'Check WEBHOOK_URL, that this machine may connect, and the receiver';

/**
 * Sends a test event with a wrong signature to the receiver of webhooks, which must refuse it.
 * @param sendSigned whether one with the right signature follows, which it must accept
 */
export async function checkWebhook(sendSigned: boolean): Promise<Finding> {
  if (!hasWebhook()) {
    const action = 'Set WEBHOOK_URL and WEBHOOK_SECRET if the platform has to delete what it holds';
    return { what, state: 'not configured', detail: 'the platform is not told of deleted accounts', action };
  }
  try {
    const wrong = `${SECRET_PREFIX}${randomBytes(32).toString('base64')}`;
    const refusal = await sendTest([wrong]);
    if (isAccepted(refusal)) {
      const detail = `accepted an event with a wrong signature (HTTP ${String(refusal)})`;
      return fail(detail, 'Have the receiver verify signatures: anybody can send it events');
    }
    if (!REFUSALS.includes(refusal)) return fail(`answered HTTP ${String(refusal)} to an event`, ACTION);
    const found = `refuses an event with a wrong signature (HTTP ${String(refusal)})`;
    if (!sendSigned)
      return { what, state: 'works', detail: found, action: 'To see that it accepts a right one: --send-webhook' };
    const status = await sendTest(env().WEBHOOK_SECRET);
    if (isAccepted(status)) return { what, state: 'works', detail: `${found}, and accepts a right one`, action: null };
    const detail = `refused an event with our signature (HTTP ${String(status)})`;
    return fail(
      detail,
      'Give the receiver our WEBHOOK_SECRET; it has to answer 2xx to events of a type that it does not know',
    );
  } catch (error) {
    if (!(error instanceof WebhookError)) throw error;
    return fail(`no response: ${error.code}`, ACTION);
  }
}

function sendTest(secrets: readonly string[]): Promise<number> {
  return postWebhook(randomUUID(), { type: 'webhook.test', timestamp: new Date().toISOString(), data: {} }, secrets);
}

function fail(detail: string, action: string): Finding {
  return { what, state: 'does not work', detail, action };
}
