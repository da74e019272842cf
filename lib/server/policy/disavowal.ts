/**
 * Decides what "This wasn't me" may undo (docs/adr/0029). Pure, like the decisions beside it; docs/account-policy.md documents them as tables.
 */

/** What is known of a disavowal when its button is pressed. */
export type DisavowalFacts = {
  /**
   * `emailed`: the link of the email about the sign-in; `emailed-again`: the link that was emailed because of an earlier press, minutes ago;
   * `answer`: the answer of a session to the question on /security.
   */
  by: 'emailed' | 'emailed-again' | 'answer';
  signIn: 'unknown' | 'announced' | 'disavowed';
  /** Whether the request comes with the live session that has given the answer, in its own browser. */
  hasAnswerSession: boolean;
  /** Since the sign-in, all sign-ins of the account were revoked, or a second factor was turned on. */
  isChangedSince: boolean;
  /** The same disavowal was begun some minutes ago, and is not done: it has revoked the sign-ins itself. */
  isBegun: boolean;
};

export type DisavowalDecision =
  /** `rule`: why. */
  | { outcome: 'refuse'; rule: 'unknown-sign-in' | 'session-of-answer-ended' }
  /** It is undone already. */
  | { outcome: 'done' }
  /** The mailbox is asked again: a link from before the change must not undo what its owner has done since. */
  | { outcome: 'ask-mailbox' }
  | { outcome: 'undo' };

/**
 * Decides what a disavowal does. An answer ends with its session: a copy of it can do nothing without that session. An emailed link
 * shows that someone has read the mailbox once; after a change of the account it takes a link that is minutes old.
 */
export function decideDisavowal(facts: DisavowalFacts): DisavowalDecision {
  if (facts.by === 'answer' && !facts.hasAnswerSession) return { outcome: 'refuse', rule: 'session-of-answer-ended' };
  if (facts.signIn === 'unknown') return { outcome: 'refuse', rule: 'unknown-sign-in' };
  if (facts.signIn === 'disavowed') return { outcome: 'done' };
  const isProved = facts.by !== 'emailed';
  return { outcome: isProved || facts.isBegun || !facts.isChangedSince ? 'undo' : 'ask-mailbox' };
}

/** Something that was added to an account. `addedIn`: the browser, in the records; null when it is not known. */
export type Addition = { addedIn: string | null; at: Date };

/** Whether something may have been added by someone else than the owner. */
export type IsSuspect = (addition: Addition) => boolean;

/**
 * What a disavowed sign-in has added: what its browser did. Time alone decides only where the browser is unknown.
 * @param browsers those of the disavowed sign-in, and of the sessions that came from it
 * @param since just before the sign-in
 */
export function suspectAdditions({ browsers, since }: { browsers: readonly string[]; since: Date }): IsSuspect {
  return ({ addedIn, at }) => (addedIn === null ? at >= since : browsers.includes(addedIn));
}
