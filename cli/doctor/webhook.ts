import { randomBytes, randomUUID } from 'node:crypto';
import { listWebhookReceivers, readWebhooksFile, readWebhookTarget, type WebhookTarget } from '@/lib/server/runtime';
import { isAccepted, postWebhook, WebhookError, SECRET_PREFIX } from '@/lib/server/notifications';
import { formatFileProblem } from '@/lib/server/policy';
import { works, fails, notConfigured, type Finding } from './types';

const what = 'webhook';
/** Statuses that a receiver returns after it has verified the signature. */
const REFUSALS = [400, 401, 403, 422];

/**
 * Checks the entries of `WEBHOOKS_FILE`. Each receiver gets a test event with a wrong signature, which it must refuse.
 * @param sendSigned whether to send a correctly signed test event afterward, which the receiver must accept
 */
export async function checkWebhooks(sendSigned: boolean): Promise<Finding[]> {
  const file = await readWebhooksFile();
  const receivers = file?.isUsable === false ? [] : await listWebhookReceivers();
  const findings = await Promise.all(receivers.map(({ name }) => checkReceiver(name, sendSigned)));
  const problems = (file?.problems ?? []).map((problem) => formatFileProblem('WEBHOOKS_FILE', problem));
  if (problems.length > 0)
    findings.push(fails(what, problems.join('; '), 'Correct these entries: docs/integration.md#receivers'));
  if (findings.length > 0) return findings;
  const action = 'If a platform stores data about learners, set WEBHOOK_URL and WEBHOOK_SECRET, or WEBHOOKS_FILE';
  return [notConfigured(what, 'no platform is notified of deleted accounts', action)];
}

async function checkReceiver(name: string | null, sendSigned: boolean): Promise<Finding> {
  const own = name === null ? what : `${what} ${name}`;
  const action = `Check ${name === null ? 'WEBHOOK_URL' : 'its url'}, that this machine may connect, and the receiver`;
  const target = await readWebhookTarget(name);
  if (target === null)
    return fails(own, 'gets no events, because its entry is invalid', 'Correct it: docs/integration.md#receivers');
  try {
    const wrong = `${SECRET_PREFIX}${randomBytes(32).toString('base64')}`;
    const refusal = await sendTest({ ...target, secrets: [wrong] });
    if (isAccepted(refusal)) {
      const detail = `accepted an event with a wrong signature (HTTP ${String(refusal)})`;
      return fails(own, detail, 'Verify the signature at the receiver. Without that, anyone can send it events');
    }
    if (!REFUSALS.includes(refusal)) return fails(own, `answered HTTP ${String(refusal)} to an event`, action);
    const found = `refuses an event with a wrong signature (HTTP ${String(refusal)})`;
    if (!sendSigned) return works(own, found, 'To test a correct signature, add --send-webhook');
    const status = await sendTest(target);
    if (isAccepted(status)) return works(own, `${found}, and accepts a correct one`);
    return fails(
      own,
      `refused an event with our signature (HTTP ${String(status)})`,
      `Give the receiver our ${name === null ? 'WEBHOOK_SECRET' : 'secret'}. It must answer 2xx to events of an unknown type`,
    );
  } catch (error) {
    if (!(error instanceof WebhookError)) throw error;
    return fails(own, `no response: ${error.code}`, action);
  }
}

function sendTest(target: WebhookTarget): Promise<number> {
  return postWebhook(target, randomUUID(), { type: 'webhook.test', timestamp: new Date().toISOString(), data: {} });
}
