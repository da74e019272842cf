import { sql } from 'drizzle-orm';
import { randomUUID } from 'node:crypto';
import type { EventKind } from '@/lib/shared/account/activity';
import { listWebhookReceivers, processWide } from '@/lib/server/runtime';
import { notices } from './schema';
import type { Tx } from './engines';

/**
 * Why a session is over, as receivers are told. `owner`: from another session; `revoked`: with all sign-ins until then; `not-allowed`: by the
 * account policy; `other-account`: another one signed in in this browser.
 */
export type SessionEndReason =
  | 'sign-out'
  | 'owner'
  | 'disavowed'
  | 'revoked'
  | 'disabled'
  | 'deleted'
  | 'not-allowed'
  | 'other-account';

/** What happened (docs/integration.md#webhooks). Personal data stays here: a receiver asks for it where it may. */
type WebhookEventData =
  | { type: 'account.deleted' | 'account.disabled'; data: { uid: string } }
  | { type: 'account.updated'; data: { uid: string; changed: ('name' | 'email')[] } }
  /** `sids`: values of the cookie `kk_sid` that stand for the session; null: all sessions until `timestamp`. */
  | { type: 'session.ended'; data: { uid: string; reason: SessionEndReason; sids: string[] | null } };
/** `timestamp`: when it happened, RFC 3339. */
export type WebhookEvent = WebhookEventData & { timestamp: string };

/** Kinds of webhooks in `notices`. During an update, a version before this one knows the first alone, of the receiver of `WEBHOOK_URL`. */
export const WEBHOOK_KINDS = ['account.deleted', 'webhook'] as const;

/**
 * Tells each receiver that is to know of it, in the transaction of what it tells of.
 * @param once an event of this key is told once; each by default
 */
export async function addWebhookEvent(tx: Tx, event: WebhookEventData, once: string = randomUUID()): Promise<void> {
  const { type, data } = event;
  const receivers = (await listWebhookReceivers()).filter(({ events }) => events.includes(type));
  if (receivers.length === 0) return;
  const told: WebhookEvent = { type, timestamp: new Date().toISOString(), data } as WebhookEvent;
  const common = { uid: data.uid, body: { channel: 'webhook', event: told }, createdAt: sql`now()`, dueAt: sql`now()` };
  const rows = receivers.map(({ name }) =>
    name === null
      ? { ...common, id: randomUUID(), kind: type, key: once, receiver: null }
      : { ...common, id: randomUUID(), kind: 'webhook', key: `${name}/${type}/${once}`, receiver: name },
  );
  await tx.insert(notices).values(rows).onConflictDoNothing();
  wakeAfterCommit();
}

/** Whether a receiver wants to know. */
export async function isEventTold(type: WebhookEventData['type']): Promise<boolean> {
  return (await listWebhookReceivers()).some(({ events }) => events.includes(type));
}

/** Which security events change what a platform knows of an account. */
export const UPDATES: Partial<Record<EventKind, 'name' | 'email'>> = {
  'name-changed': 'name',
  'email-verified': 'email',
  'email-changed': 'email',
  'email-restored': 'email',
};

/** Until the transaction that announces is over, in milliseconds. One that takes longer is found in the next round. */
const COMMIT_MS = 50;

const slot = () => processWide('announcement-wake', () => ({ wake: () => {} }));

/** @param wake sends webhooks and logout tokens that are due */
export function onAnnouncement(wake: () => void): void {
  slot().wake = wake;
}

export function wakeAfterCommit(): void {
  setTimeout(() => slot().wake(), COMMIT_MS).unref();
}
