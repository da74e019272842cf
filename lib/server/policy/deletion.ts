/** Between the request and the deletion. */
export const GRACE_DAYS = 7;
/** The reminder comes this long before the deletion, at least. */
const REMINDER_HOURS = 24;
/** A deletion whose account an operator has disabled is looked at again after this. */
const HOLD_HOURS = 1;

const HOUR_MS = 3_600_000;

/** All times by the clock of the database. */
export type DeletionFacts = {
  now: Date;
  effectiveAt: Date;
  signedOutAt: Date | null;
  remindedAt: Date | null;
  startedAt: Date | null;
  /** Of the account at the identity provider. */
  account: 'active' | 'disabled' | 'gone';
};

export type DeletionStep = { step: 'sign-out' | 'remind' | 'delete' } | { step: 'hold' | 'wait'; dueAt: Date };

/**
 * What a requested deletion needs next. It never comes earlier than promised, nor less than a day after the reminder: a
 * clock that jumps, or a long outage, deletes nothing by surprise.
 */
export function decideDeletion(facts: DeletionFacts): DeletionStep {
  const { now, effectiveAt, signedOutAt, remindedAt, startedAt, account } = facts;
  // A part of it may already be done.
  if (startedAt !== null) return { step: 'delete' };
  // An account that is gone needs no reminder.
  if (account === 'gone') return now >= effectiveAt ? { step: 'delete' } : { step: 'wait', dueAt: effectiveAt };
  if (signedOutAt === null) return { step: 'sign-out' };
  const remindAt = getReminderTime(effectiveAt);
  if (now < remindAt) return { step: 'wait', dueAt: remindAt };
  // An operator has stopped whatever happens to this account: it must not be destroyed meanwhile.
  if (account === 'disabled') return { step: 'hold', dueAt: addHours(now, HOLD_HOURS) };
  if (remindedAt === null) return { step: 'remind' };
  const deleteAt = new Date(Math.max(effectiveAt.getTime(), addHours(remindedAt, REMINDER_HOURS).getTime()));
  return now >= deleteAt ? { step: 'delete' } : { step: 'wait', dueAt: deleteAt };
}

/** When the reminder of a deletion is due. */
function getReminderTime(effectiveAt: Date): Date {
  return addHours(effectiveAt, -REMINDER_HOURS);
}

function addHours(moment: Date, hours: number): Date {
  return new Date(moment.getTime() + hours * HOUR_MS);
}
