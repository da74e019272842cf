import type { EventKind } from '@/lib/shared/account/activity';
import type { SecondFactor } from '@/lib/shared/account/security';
import type { AttemptFacts, Factor as ShownFactor, IsSuspect } from '@/lib/server/policy';
import type { ClientDescription } from '@/lib/server/runtime';
import type { Tx } from '@/lib/server/storage';

/** Who sets a factor up. `issuer`: the brand; `email`: null without one. */
export type Enrollee = { uid: string; email: string | null; issuer: string; client: ClientDescription };

/**
 * A right code is used up by `use`, in the transaction of its attempt; false: another request has used it since. `giveBack` undoes that for a
 * code that has no successor, when what it was shown for has failed.
 */
export type Verdict =
  | { code: Exclude<AttemptFacts['code'], 'right'> }
  | {
      code: 'right';
      use: (tx: Tx, at: Date) => Promise<boolean>;
      giveBack?: (tx: Tx, usedAt: Date) => Promise<unknown>;
    };

/** Which of an account's are removed: every one, those that are suspect or were not turned on, or one. */
export type Removed = 'all' | { isSuspect: IsSuspect } | { id: string };

/**
 * A kind of second factor: a folder beside this file (CONTRIBUTING.md, "A second factor"). Lockout, the sign-in that waits, events and
 * emails are not its concern (sign-in.ts, enrolment.ts, removal.ts).
 */
export interface Factor<State = unknown, Shown = unknown, Checked = unknown, Prepared = unknown> {
  /** In sessions, tokens and the API. */
  readonly name: ShownFactor;
  /** Whether a code can be guessed: wrong ones then count against the account, and lock such codes for a while. */
  readonly isGuessable: boolean;
  /** Event and email of a used code; null: its owner is told of the sign-in alone. */
  readonly usedKind: 'recovery-code-used' | null;

  /** What is stored of it. */
  read(tx: Tx, uid: string): Promise<State>;
  /** What /security shows of it. */
  describe(state: State): Partial<SecondFactor>;
  /** How many codes are left when one is used; null: there is no end to them. */
  countLeft(state: State): number | null;
  /** Whether a sign-in could still show it without those that are suspect. */
  isLeftWithout(state: State, isSuspect: IsSuspect): boolean;

  readonly enroll: {
    /** @returns what its owner is shown, once. @throws ApiProblem when there are too many, or none is allowed */
    begin(enrollee: Enrollee): Promise<Shown>;
    /**
     * Takes the code by which its owner shows to have kept it.
     * @param entitle runs when the code is right, before it is used up
     * @throws ApiProblem `code-wrong`, `code-used`, `code-expired`
     */
    check(
      owner: { uid: string; client: () => ClientDescription; at: Date },
      typed: string,
      entitle?: (state: State) => Promise<void>,
    ): Promise<Checked>;
    /** @param addedIn the browser, in `devices`; null when it is not known. @returns false when it is gone */
    turnOn(tx: Tx, checked: Checked, addedIn: string | null): Promise<boolean>;
  };

  /** What is too slow for a transaction; null: the code can be none. */
  prepare?(state: State, typed: string, owner: { uid: string; client: ClientDescription }): Promise<Prepared | null>;
  verify(
    state: State,
    typed: { code: string; prepared: Prepared | null },
    owner: { uid: string; at: Date },
  ): Promise<Verdict>;

  /** @returns an event for each that was on */
  remove(tx: Tx, uid: string, which: Removed): Promise<EventKind[]>;
}

/** How long a factor can be set up, in milliseconds. */
export const SETUP_MS = 30 * 60_000;
