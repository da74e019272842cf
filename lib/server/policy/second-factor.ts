import type { Refused } from './refusal';
import { env } from '@/lib/server/runtime';
import type { SecondFactorRule } from '@/lib/shared/config/app-config';

/**
 * Second factors: a code of an authenticator app, a recovery code, or an organization's sign-in that counts as two
 * factors. `remembered-browser`: no second factor was shown now, but this browser showed one within 30 days.
 */
export const FACTORS = ['totp', 'recovery-code', 'organization', 'remembered-browser'] as const;
export type Factor = (typeof FACTORS)[number];

/**
 * Whether accounts of this deployment can have a second factor. The deployment must manage its own accounts and have a
 * secret that seals the keys.
 */
export function isSecondFactorOffered(config = env()): boolean {
  const { SECOND_FACTOR_SECRET, SESSION_BACKEND } = config;
  return SECOND_FACTOR_SECRET.length > 0 && SESSION_BACKEND === 'firebase';
}

type SecondFactorUseFacts = {
  /** Rule of the sign-in's origin. Null if it has none, or for a session, which every origin accepts. */
  origin: SecondFactorRule | null;
  /** Rules of the organizations that manage the account. */
  organizations: readonly SecondFactorRule[];
  /** The account's access level (`kk_user_access_level`). */
  accessLevel: string;
  /** Date in UTC, `YYYY-MM-DD`. */
  today: string;
};

/** A rule of an organization that manages the account. */
export type OrganizationRule = SecondFactorRule & { organization: string };

type AccountRules = { secondFactorRules: readonly OrganizationRule[]; accessLevel: string };

/** `from`: the day since which, or from which, it is required, if the rule has a date. */
export type SecondFactorUse = { use: 'off' | 'optional' } | { use: 'required'; inForce: boolean; from: string | null };

/** Decides whether an account must, may or cannot have a second factor (docs/account-policy.md#rules). The strictest rule wins. */
export function decideSecondFactorUse(facts: SecondFactorUseFacts): SecondFactorUse {
  const { origin, organizations, accessLevel, today } = facts;
  const rules = [...(origin === null ? [] : [origin]), ...organizations];
  const required = rules.filter((rule) => isRequired(rule, accessLevel));
  if (required.length > 0) {
    const days = required.map(({ from }) => from ?? null);
    // Dates in this form sort as text. A rule without a date has always been in force.
    const from = days.includes(null) ? null : (days.toSorted()[0] ?? null);
    return { use: 'required', inForce: from === null || from <= today, from };
  }
  return { use: rules.some(({ use }) => use === 'off') ? 'off' : 'optional' };
}

/** Returns the organization that requires the second factor, or null if the origin requires it. */
export function findRequiringOrganization({ secondFactorRules, accessLevel }: AccountRules): string | null {
  return secondFactorRules.find((rule) => isRequired(rule, accessLevel))?.organization ?? null;
}

function isRequired({ use, accessLevels }: SecondFactorRule, accessLevel: string): boolean {
  return use === 'required' && (accessLevels?.includes(accessLevel) ?? true);
}

/** Decides on an account's second factor today. @param origin null for a session, because every origin accepts it */
export function getSecondFactorUse(
  { secondFactorRules: organizations, accessLevel }: AccountRules,
  origin: SecondFactorRule | null,
): SecondFactorUse {
  return decideSecondFactorUse({ origin, organizations, accessLevel, today: toDay(new Date()) });
}

export function isRequiredNow(use: SecondFactorUse): boolean {
  return use.use === 'required' && use.inForce;
}

/** Returns the date of a moment in UTC. */
export function toDay(moment: Date): string {
  return moment.toISOString().slice(0, 10);
}

/** Maximum wrong codes of a waiting sign-in. */
export const MAX_TRIES = 5;
/** Wrong codes of an account, over all sign-ins, before the lockout. A lockout does not affect passkeys. */
const MAX_FAILURES = 10;
const LOCKOUT_MS = 15 * 60_000;

/** Facts about a code before it is used. */
export type AttemptFacts = {
  /** State of the waiting sign-in. `proof`: the signed-in user shows a second factor again. */
  signIn: 'open' | 'gone' | 'proof';
  /** Whether the account has a second factor in the records. */
  hasSecondFactor: boolean;
  /** Refused codes of the sign-in. */
  tries: number;
  /** Wrong codes of the account since the last right code. */
  failures: number;
  /** When codes of the account are accepted again. Null if they are accepted now. */
  lockedUntil: Date | null;
  /** Six digits can be guessed. A recovery code has 80 bits and cannot. */
  isGuessable: boolean;
  /** `used`: the right code, but already accepted before. */
  code: 'right' | 'used' | 'wrong';
  now: Date;
};

type AttemptDecision =
  | { outcome: 'accept' }
  /**
   * `counts`: how to count the refusal. Null if it does not count. The sign-in always counts it, and `ofAccount` also
   * counts it for the account.
   */
  | ({ outcome: 'refuse'; counts: { ofAccount: boolean; lockedUntil: Date | null } | null } & Refused);

/** Decides on a code of a second factor (docs/account-policy.md#second-factor). */
export function decideAttempt({
  signIn,
  hasSecondFactor,
  tries,
  failures,
  lockedUntil,
  isGuessable,
  code,
  now,
}: AttemptFacts): AttemptDecision {
  if (signIn === 'gone')
    return { outcome: 'refuse', code: 'sign-in-expired', rule: 'no-waiting-sign-in', counts: null };
  // There is nothing to guess, and the user may set a second factor up.
  if (signIn === 'proof' && !hasSecondFactor)
    return { outcome: 'refuse', code: 'not-found', rule: 'no-second-factor', counts: null };
  if (signIn === 'open' && tries >= MAX_TRIES)
    return { outcome: 'refuse', code: 'code-locked', rule: 'tries-used-up', counts: null };
  // Refuse right codes, too. Otherwise a lockout would only slow guesses down.
  if (isGuessable && lockedUntil !== null && lockedUntil > now) {
    const retryAfter = Math.ceil((lockedUntil.getTime() - now.getTime()) / 1000);
    return { outcome: 'refuse', code: 'too-many-requests', rule: 'locked-factor', counts: null, retryAfter };
  }
  if (code === 'right') return { outcome: 'accept' };
  // The code was right, so this is no guess.
  if (code === 'used')
    return { outcome: 'refuse', code: 'code-used', rule: 'used-code', counts: { ofAccount: false, lockedUntil: null } };
  const lockout = isGuessable && failures + 1 >= MAX_FAILURES ? new Date(now.getTime() + LOCKOUT_MS) : null;
  const counts = { ofAccount: isGuessable, lockedUntil: lockout };
  if (signIn === 'proof') return { outcome: 'refuse', code: 'code-wrong', rule: 'wrong-code', counts };
  const triesLeft = MAX_TRIES - tries - 1;
  if (triesLeft === 0) return { outcome: 'refuse', code: 'code-locked', rule: 'tries-used-up', counts };
  return { outcome: 'refuse', code: 'code-wrong', rule: 'wrong-code', counts, triesLeft };
}
