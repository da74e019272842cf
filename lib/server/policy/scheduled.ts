import { RESET_HOURS } from '@/lib/shared/account/security';
import type { Refused } from './refusal';

/** Days between the request and the deletion. */
export const GRACE_DAYS = 7;
/** The reminder is sent at least this long before the deletion. */
export const REMINDER_HOURS = 24;
/** How often a scheduled change is checked while an operator has disabled the account. */
const HOLD_HOURS = 1;
/** How often a scheduled change is checked while its last email is not sent. */
const UNSENT_MINUTES = 5;

const HOUR_MS = 3_600_000;

/** All times use the database's clock. */
export type DeletionFacts = {
  now: Date;
  effectiveAt: Date;
  signedOutAt: Date | null;
  /** When the reminder was written. */
  remindedAt: Date | null;
  /** When the reminder to every email was sent or given up. */
  sentAt: Date | null;
  startedAt: Date | null;
  /** State of the account at the identity provider. */
  account: 'active' | 'disabled' | 'gone';
};

/**
 * `corrects`: new values of the row, such as a later time of the change. Null resets an email, so that it is sent
 * again.
 */
type Pause = {
  step: 'hold' | 'wait';
  dueAt: Date;
  corrects?: { effectiveAt?: Date; remindedAt?: null; warnedAt?: null };
};

type DeletionStep = { step: 'sign-out' | 'remind' | 'delete' } | Pause;

/**
 * Returns when a change takes effect, after its last email to the owner.
 * @param toldAt when that email is sent, or can be sent at the earliest
 * @param hours the minimum time between that email and the change
 */
export function getEffect(effectiveAt: Date, toldAt: Date, hours: number): Date {
  return new Date(Math.max(effectiveAt.getTime(), addHours(toldAt, hours).getTime()));
}

/**
 * Decides the next step of a requested deletion. A deletion never comes early, and at least a day after the reminder
 * was sent. So a clock jump, a long outage or a mail outage never deletes an account by surprise.
 */
export function decideDeletion(facts: DeletionFacts): DeletionStep {
  const { now, effectiveAt, signedOutAt, remindedAt, sentAt, startedAt, account } = facts;
  // Part of the deletion may already be done.
  if (startedAt !== null) return { step: 'delete' };
  // A deleted account needs no reminder.
  if (account === 'gone') return now >= effectiveAt ? { step: 'delete' } : { step: 'wait', dueAt: effectiveAt };
  if (signedOutAt === null) return { step: 'sign-out' };
  const remindAt = addHours(effectiveAt, -REMINDER_HOURS);
  if (now < remindAt) return { step: 'wait', dueAt: remindAt };
  // An operator has frozen this account, so it must not be deleted now. Its owner is reminded again after the hold.
  if (account === 'disabled') return { step: 'hold', dueAt: addHours(now, HOLD_HOURS), corrects: { remindedAt: null } };
  if (remindedAt === null) return { step: 'remind' };
  const deleteAt = getEffect(effectiveAt, sentAt ?? now, REMINDER_HOURS);
  return sentAt !== null && now >= deleteAt ? { step: 'delete' } : waitForEffect(now, sentAt, deleteAt);
}

/** Store the corrected time for pages. Emails contain the time from when they are sent. */
function waitForEffect(now: Date, sentAt: Date | null, effectiveAt: Date): Pause {
  const dueAt = sentAt === null ? addHours(now, UNSENT_MINUTES / 60) : effectiveAt;
  return { step: 'wait', dueAt, corrects: { effectiveAt } };
}

function addHours(moment: Date, hours: number): Date {
  return new Date(moment.getTime() + hours * HOUR_MS);
}

/** The first reminder is sent this long after the request. */
const FIRST_REMINDER_HOURS = 24;
/** The last email is sent at least this long before the effect. */
export const WARNING_HOURS = 1;

/** Resets that an account can begin in a day, because each sends emails. */
const MAX_RESETS = 3;
const DAY_MS = 24 * HOUR_MS;

/** Facts of a browser that requests a reset. */
export type ResetRequestFacts = {
  /** Whether its sign-in still waits for the second factor. */
  signIn: 'open' | 'gone';
  hasSecondFactor: boolean;
  /** Whether the first factor was the mailbox itself. */
  byMailbox: boolean;
  isRunning: boolean;
  /** When resets of the account began within the last day, in any order. */
  begun: readonly Date[];
  now: Date;
};

export type ResetRequestDecision = { outcome: 'begin' | 'running' } | ({ outcome: 'refuse' } & Refused);

/**
 * Decides who may request a reset (docs/account-policy.md#second-factor). A reset requires the mailbox as the other
 * proof, so an email link and a reset together would be only a single factor.
 */
export function decideResetRequest(facts: ResetRequestFacts): ResetRequestDecision {
  const { signIn, hasSecondFactor, byMailbox, isRunning, begun, now } = facts;
  if (signIn === 'gone') return { outcome: 'refuse', code: 'sign-in-expired', rule: 'no-waiting-sign-in' };
  if (!hasSecondFactor) return { outcome: 'refuse', code: 'not-found', rule: 'no-second-factor' };
  if (byMailbox) return { outcome: 'refuse', code: 'other-method-required', rule: 'mailbox-alone' };
  if (isRunning) return { outcome: 'running' };
  if (begun.length < MAX_RESETS) return { outcome: 'begin' };
  const times = begun.map((time) => time.getTime()).sort((a, b) => b - a);
  const freeAt = (times[MAX_RESETS - 1] ?? 0) + DAY_MS;
  return {
    outcome: 'refuse',
    code: 'too-many-requests',
    rule: 'resets-of-a-day',
    retryAfter: Math.max(1, Math.ceil((freeAt - now.getTime()) / 1000)),
  };
}

/** All times use the database's clock. */
export type ResetFacts = {
  now: Date;
  effectiveAt: Date;
  /** When the first reminder was written. */
  remindedAt: Date | null;
  /** When the last email was written. */
  warnedAt: Date | null;
  /** When the last email was sent or given up. */
  sentAt: Date | null;
  startedAt: Date | null;
  /** `other`: its email has changed since the request, or it has no second factor now. */
  account: 'same' | 'other' | 'disabled' | 'gone';
};

type ResetStep = { step: 'remind' | 'warn' | 'turn-off' | 'cancel' | 'drop' } | Pause;

/**
 * Decides the next step of a requested reset. A reset never comes early, and at least an hour after its last email was
 * sent. So a clock jump, a long outage or a mail outage never turns the factor off silently.
 */
export function decideReset(facts: ResetFacts): ResetStep {
  const { now, effectiveAt, remindedAt, warnedAt, sentAt, startedAt, account } = facts;
  if (account === 'gone') return { step: 'drop' };
  // An operator has frozen this account. Its owner is warned again after the hold.
  if (account === 'disabled') return { step: 'hold', dueAt: addHours(now, HOLD_HOURS), corrects: { warnedAt: null } };
  // Part of the reset may already be done.
  if (startedAt !== null) return { step: 'turn-off' };
  if (account === 'other') return { step: 'cancel' };
  const remindAt = addHours(effectiveAt, FIRST_REMINDER_HOURS - RESET_HOURS);
  if (now < remindAt) return { step: 'wait', dueAt: remindAt };
  const warnAt = addHours(effectiveAt, -WARNING_HOURS);
  if (now < warnAt) return remindedAt === null ? { step: 'remind' } : { step: 'wait', dueAt: warnAt };
  if (warnedAt === null) return { step: 'warn' };
  const offAt = getEffect(effectiveAt, sentAt ?? now, WARNING_HOURS);
  return sentAt !== null && now >= offAt ? { step: 'turn-off' } : waitForEffect(now, sentAt, offAt);
}
