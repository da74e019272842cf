import type { ProblemCode } from '@/lib/shared/problem';

/** Wrong codes of one sign-in that waits. */
export const MAX_TRIES = 5;
/** Wrong codes of one account, whichever sign-in they were of; then codes rest. Passkeys go on. */
const MAX_FAILURES = 10;
const REST_MS = 15 * 60_000;

/** What is known of a code, before it is used up. */
export type AttemptFacts = {
  /** The sign-in that waits; `proof`: the signed-in user shows a second factor again. */
  signIn: 'open' | 'gone' | 'proof';
  /** Refused codes of the sign-in. */
  tries: number;
  /** Wrong codes of the account since the last right one. */
  failures: number;
  /** When codes of the account are accepted again; null: now. */
  lockedUntil: Date | null;
  /** Six digits can be guessed, a recovery code cannot (80 bits). */
  isGuessable: boolean;
  /** `used`: right, but it was accepted before. */
  code: 'right' | 'used' | 'wrong';
  now: Date;
};

export type AttemptDecision =
  | { outcome: 'accept' }
  /** `counts`: for the sign-in, and `ofAccount` for the account; null: nothing is counted. */
  | {
      outcome: 'refuse';
      code: ProblemCode;
      counts: { ofAccount: boolean; lockedUntil: Date | null } | null;
      triesLeft?: number;
      retryAfter?: number;
    };

/** Decides on a code of a second factor (docs/account-policy.md#second-factor). */
export function decideAttempt({
  signIn,
  tries,
  failures,
  lockedUntil,
  isGuessable,
  code,
  now,
}: AttemptFacts): AttemptDecision {
  if (signIn === 'gone') return { outcome: 'refuse', code: 'sign-in-expired', counts: null };
  if (signIn === 'open' && tries >= MAX_TRIES) return { outcome: 'refuse', code: 'code-locked', counts: null };
  // Also a right one: otherwise a rest would only slow guesses down.
  if (isGuessable && lockedUntil !== null && lockedUntil > now) {
    const retryAfter = Math.ceil((lockedUntil.getTime() - now.getTime()) / 1000);
    return { outcome: 'refuse', code: 'too-many-requests', counts: null, retryAfter };
  }
  if (code === 'right') return { outcome: 'accept' };
  // It was right: no guess at the account.
  if (code === 'used') return { outcome: 'refuse', code: 'code-used', counts: { ofAccount: false, lockedUntil: null } };
  const rests = isGuessable && failures + 1 >= MAX_FAILURES ? new Date(now.getTime() + REST_MS) : null;
  const counts = { ofAccount: isGuessable, lockedUntil: rests };
  if (signIn === 'proof') return { outcome: 'refuse', code: 'code-wrong', counts };
  const triesLeft = MAX_TRIES - tries - 1;
  if (triesLeft === 0) return { outcome: 'refuse', code: 'code-locked', counts };
  return { outcome: 'refuse', code: 'code-wrong', counts, triesLeft };
}
