import type { Refused } from './refusal';

/**
 * Decides what "This wasn't me" may undo (docs/adr/0029). The decisions are pure, and docs/account-policy.md documents
 * them as tables.
 */

/** How long a sign-in can be disavowed. */
export const DISAVOWAL_MS = 10 * 24 * 60 * 60 * 1000;

/** The facts of a disavowal when its button is pressed. */
export type DisavowalFacts = {
  /**
   * `emailed`: the link in the email about the sign-in. `emailed-again`: the newer link that an earlier press requested
   * minutes ago. `answer`: a session's answer to the question on /security.
   */
  by: 'emailed' | 'emailed-again' | 'answer';
  signIn: 'unknown' | 'announced' | 'disavowed';
  /** Whether the request has the live session that gave the answer, in the same browser. */
  hasAnswerSession: boolean;
  /** Since the sign-in, all sign-ins of the account were revoked, or a second factor was turned on. */
  isChangedSince: boolean;
  /** The same disavowal began some minutes ago and is not complete. It has revoked the sign-ins itself. */
  isBegun: boolean;
};

export type DisavowalDecision =
  | ({ outcome: 'refuse' } & Refused)
  /** The sign-in is already undone. */
  | { outcome: 'done' }
  /** Email a new link, because a link from before the change must not undo what the owner has done since. */
  | { outcome: 'ask-mailbox' }
  | { outcome: 'undo' };

const refuse = (rule: string): DisavowalDecision => ({ outcome: 'refuse', code: 'action-code-invalid', rule });

/**
 * Decides what a disavowal does. An answer is valid only with its session, so a copy of the answer is useless. An
 * emailed link shows that a client read the mailbox once. After a change of the account, the link must be minutes old.
 */
export function decideDisavowal(facts: DisavowalFacts): DisavowalDecision {
  if (facts.by === 'answer' && !facts.hasAnswerSession) return refuse('session-of-answer-ended');
  if (facts.signIn === 'unknown') return refuse('unknown-sign-in');
  if (facts.signIn === 'disavowed') return { outcome: 'done' };
  const isProved = facts.by !== 'emailed';
  return { outcome: isProved || facts.isBegun || !facts.isChangedSince ? 'undo' : 'ask-mailbox' };
}

/** Something that was added to an account. `addedIn`: the browser in the records, or null if unknown. */
export type Addition = { addedIn: string | null; at: Date };

/** Whether an attacker may have added it. */
export type IsSuspect = (addition: Addition) => boolean;

/**
 * Selects the additions of a disavowed sign-in by their browser. Time decides only if the browser is unknown.
 * @param browsers browsers of the disavowed sign-in, and of the sessions that its custom tokens opened
 * @param since just before the sign-in
 */
export function suspectAdditions({ browsers, since }: { browsers: readonly string[]; since: Date }): IsSuspect {
  return ({ addedIn, at }) => (addedIn === null ? at >= since : browsers.includes(addedIn));
}
