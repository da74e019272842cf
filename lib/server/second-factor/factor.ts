import type { EventKind } from '@/lib/shared/account/activity';
import type { SecondFactor } from '@/lib/shared/account/security';
import type { AttemptFacts, Factor as ShownFactor, IsSuspect } from '@/lib/server/policy';
import type { ClientDescription } from '@/lib/server/runtime';
import type { Tx } from '@/lib/server/storage';

/** The account that sets up a factor. `issuer`: the brand; `email`: null without an email. */
export type Enrollee = { uid: string; email: string | null; issuer: string; client: ClientDescription };

/**
 * Result of checking a code. `use` uses up a right code in the transaction of its attempt. It returns false if another
 * request has used the code since. `giveBack` undoes that for a code without a successor, if its purpose has failed.
 */
export type Verdict =
  | { code: Exclude<AttemptFacts['code'], 'right'> }
  | {
      code: 'right';
      use: (tx: Tx, at: Date) => Promise<boolean>;
      giveBack?: (tx: Tx, usedAt: Date) => Promise<unknown>;
    };

/** Selects the factors of an account to remove: all, the suspect or unconfirmed ones, or a single one. */
export type Removed = 'all' | { isSuspect: IsSuspect } | { id: string };

/**
 * A kind of second factor, in a folder beside this file (CONTRIBUTING.md, "A second factor"). Lockout, waiting
 * sign-ins, events and emails are handled in sign-in.ts, enrolment.ts and removal.ts.
 */
export interface FactorKind<State = unknown, Shown = unknown, Checked = unknown, Prepared = unknown> {
  /** Name in sessions, tokens and the API. */
  readonly name: ShownFactor;
  /** Whether a code can be guessed. Wrong codes then count against the account, and lock such codes temporarily. */
  readonly isGuessable: boolean;
  /** Event and email of a used code. Null: the owner is only told of the sign-in. */
  readonly usedKind: 'recovery-code-used' | null;

  /** Reads what is stored of the factor. */
  read(tx: Tx, uid: string): Promise<State>;
  /** Returns what /security shows of the factor. */
  describe(state: State): Partial<SecondFactor>;
  /** Returns the number of codes left after a use. Null: the number is unlimited. */
  countLeft(state: State): number | null;
  /** Whether a sign-in could still use the factor without its suspect parts. */
  isLeftWithout(state: State, isSuspect: IsSuspect): boolean;

  readonly enroll: {
    /** @returns what its owner is shown, once @throws ApiProblem if there are too many, or none is allowed */
    begin(enrollee: Enrollee): Promise<Shown>;
    /**
     * Checks a code that shows that the owner has stored the factor.
     * @param entitle runs when the code is right, before it is used up
     * @throws ApiProblem `code-wrong`, `code-used`, `code-expired`
     */
    check(
      owner: { uid: string; client: () => ClientDescription; at: Date },
      typed: string,
      entitle?: (state: State) => Promise<void>,
    ): Promise<Checked>;
    /** @param addedIn the browser, in `devices`; null if unknown @returns false if the factor is gone */
    turnOn(tx: Tx, checked: Checked, addedIn: string | null): Promise<boolean>;
  };

  /** Does work that is too slow for a transaction. Null: the text cannot be a code. */
  prepare?(state: State, typed: string, owner: { uid: string; client: ClientDescription }): Promise<Prepared | null>;
  verify(
    state: State,
    typed: { code: string; prepared: Prepared | null },
    owner: { uid: string; at: Date },
  ): Promise<Verdict>;

  /** @returns an event for each removed factor that was on */
  remove(tx: Tx, uid: string, which: Removed): Promise<EventKind[]>;
}

/** How long a factor can be set up, in milliseconds. */
export const SETUP_MS = 30 * 60_000;
