import type { Refused } from './refusal';

/** Between the request and the deletion. */
export const GRACE_DAYS = 7;
/** The reminder comes this long before the deletion, at least. */
export const REMINDER_HOURS = 24;
/** What is scheduled for an account that an operator has disabled is looked at again after this. */
const HOLD_HOURS = 1;
/** While the last email before a change is not sent, it is looked at again after this. */
const UNSENT_MINUTES = 5;

const HOUR_MS = 3_600_000;

/** All times by the clock of the database. */
export type DeletionFacts = {
  now: Date;
  effectiveAt: Date;
  signedOutAt: Date | null;
  /** When the reminder was written. */
  remindedAt: Date | null;
  /** When that was sent, or given up, to each email. */
  sentAt: Date | null;
  startedAt: Date | null;
  /** Of the account at the identity provider. */
  account: 'active' | 'disabled' | 'gone';
};

/** `corrects`: when the change comes, which can be later than it was; that the last email does not count any more. */
type Pause = {
  step: 'hold' | 'wait';
  dueAt: Date;
  corrects?: { effectiveAt?: Date; remindedAt?: null; warnedAt?: null };
};

type DeletionStep = { step: 'sign-out' | 'remind' | 'delete' } | Pause;

/**
 * When a change comes whose owner is told of it for the last time.
 * @param toldAt when that email is sent, or could be at the earliest
 * @param hours that the owner has then, at least
 */
export function getEffect(effectiveAt: Date, toldAt: Date, hours: number): Date {
  return new Date(Math.max(effectiveAt.getTime(), addHours(toldAt, hours).getTime()));
}

/**
 * What a requested deletion needs next. It never comes earlier than promised, nor less than a day after the reminder was sent: a clock
 * that jumps, a long outage or a mail server that is away deletes nothing by surprise.
 */
export function decideDeletion(facts: DeletionFacts): DeletionStep {
  const { now, effectiveAt, signedOutAt, remindedAt, sentAt, startedAt, account } = facts;
  // A part of it may already be done.
  if (startedAt !== null) return { step: 'delete' };
  // An account that is gone needs no reminder.
  if (account === 'gone') return now >= effectiveAt ? { step: 'delete' } : { step: 'wait', dueAt: effectiveAt };
  if (signedOutAt === null) return { step: 'sign-out' };
  const remindAt = addHours(effectiveAt, -REMINDER_HOURS);
  if (now < remindAt) return { step: 'wait', dueAt: remindAt };
  // An operator has stopped whatever happens to this account: it must not be destroyed meanwhile. Its owner is reminded once more after that.
  if (account === 'disabled') return { step: 'hold', dueAt: addHours(now, HOLD_HOURS), corrects: { remindedAt: null } };
  if (remindedAt === null) return { step: 'remind' };
  const deleteAt = getEffect(effectiveAt, sentAt ?? now, REMINDER_HOURS);
  return sentAt !== null && now >= deleteAt ? { step: 'delete' } : waitForEffect(now, sentAt, deleteAt);
}

/** Pages show the time as it is by now: emails do when they are sent. */
function waitForEffect(now: Date, sentAt: Date | null, effectiveAt: Date): Pause {
  const dueAt = sentAt === null ? addHours(now, UNSENT_MINUTES / 60) : effectiveAt;
  return { step: 'wait', dueAt, corrects: { effectiveAt } };
}

function addHours(moment: Date, hours: number): Date {
  return new Date(moment.getTime() + hours * HOUR_MS);
}

/** Between the request and the effect. */
export const RESET_HOURS = 72;
/** The first reminder comes this long after the request. */
const FIRST_REMINDER_HOURS = 24;
/** The last email comes this long before the effect, at least. */
export const WARNING_HOURS = 1;

/** Resets that an account can begin in a day: each sends emails. */
const MAX_RESETS = 3;
const DAY_MS = 24 * HOUR_MS;

/** What is known of a browser that asks for a reset. */
export type ResetRequestFacts = {
  /** Its sign-in waits for the second factor. */
  signIn: 'open' | 'gone';
  hasSecondFactor: boolean;
  /** The first factor was the mailbox itself. */
  byMailbox: boolean;
  isRunning: boolean;
  /** When resets of the account were begun within the last day, in any order. */
  begun: readonly Date[];
  now: Date;
};

export type ResetRequestDecision = { outcome: 'begin' | 'running' } | ({ outcome: 'refuse' } & Refused);

/**
 * Decides who may ask for a reset (docs/account-policy.md#second-factor). The mailbox is the other proof that it takes: together with an
 * email link it would be one factor alone.
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

/** All times by the clock of the database. */
export type ResetFacts = {
  now: Date;
  effectiveAt: Date;
  /** When the email after a day was written. */
  remindedAt: Date | null;
  /** When the last email was written. */
  warnedAt: Date | null;
  /** When that was sent, or given up. */
  sentAt: Date | null;
  startedAt: Date | null;
  /** `other`: it has another email than at the request, or no second factor any more. */
  account: 'same' | 'other' | 'disabled' | 'gone';
};

type ResetStep = { step: 'remind' | 'warn' | 'turn-off' | 'cancel' | 'drop' } | Pause;

/**
 * What a requested reset needs next. It never comes earlier than promised, nor less than an hour after its last email was sent: a clock
 * that jumps, a long outage or a mail server that is away turns nothing off in silence.
 */
export function decideReset(facts: ResetFacts): ResetStep {
  const { now, effectiveAt, remindedAt, warnedAt, sentAt, startedAt, account } = facts;
  if (account === 'gone') return { step: 'drop' };
  // An operator has stopped whatever happens to this account. Its owner is warned once more after that.
  if (account === 'disabled') return { step: 'hold', dueAt: addHours(now, HOLD_HOURS), corrects: { warnedAt: null } };
  // A part of it may already be done.
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
