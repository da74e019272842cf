import type { Refused } from './refusal';
import { env } from '@/lib/server/runtime';
import { chooseRecords } from '@/lib/server/storage';
import type { SecondFactorRule } from '@/lib/shared/config/app-config';

/**
 * What a user has shown besides the first factor: a code of an authenticator app, a recovery code, or whatever the organization asks
 * for, whose sign-in counts as two factors. With `remembered-browser` none: this browser has shown one within 30 days.
 */
export const FACTORS = ['totp', 'recovery-code', 'organization', 'remembered-browser'] as const;
export type Factor = (typeof FACTORS)[number];

/** Whether accounts of this deployment can have a second factor: it keeps records, and has a secret to seal keys with. */
export function isSecondFactorOffered(config = env()): boolean {
  const { SECOND_FACTOR_SECRET, SESSION_BACKEND } = config;
  return SECOND_FACTOR_SECRET.length > 0 && SESSION_BACKEND === 'firebase' && chooseRecords(config).kind !== 'none';
}

type SecondFactorUseFacts = {
  /** Of the origin that is signed in at; null: it has none, or the decision is about a session, which every origin accepts. */
  origin: SecondFactorRule | null;
  /** Of the organizations that manage the account. */
  organizations: readonly SecondFactorRule[];
  /** `kk_user_access_level` of the account. */
  accessLevel: string;
  /** In UTC, `YYYY-MM-DD`. */
  today: string;
};

/** A rule of an organization that manages the account. */
export type OrganizationRule = SecondFactorRule & { organization: string };

type AccountRules = { secondFactorRules: readonly OrganizationRule[]; accessLevel: string };

/** `from`: required since then, or from then on, if the rule has a date. */
export type SecondFactorUse = { use: 'off' | 'optional' } | { use: 'required'; inForce: boolean; from: string | null };

/** Decides whether an account must, may or cannot have a second factor (docs/account-policy.md#rules). The strictest rule wins. */
export function decideSecondFactorUse(facts: SecondFactorUseFacts): SecondFactorUse {
  const { origin, organizations, accessLevel, today } = facts;
  const rules = [...(origin === null ? [] : [origin]), ...organizations];
  const required = rules.filter((rule) => isRequired(rule, accessLevel));
  if (required.length > 0) {
    const days = required.map(({ from }) => from ?? null);
    // Days of this form are in order as text. A rule without one has always been in force.
    const from = days.includes(null) ? null : (days.toSorted()[0] ?? null);
    return { use: 'required', inForce: from === null || from <= today, from };
  }
  return { use: rules.some(({ use }) => use === 'off') ? 'off' : 'optional' };
}

/** The organization that requires it; null: the origin does. */
export function findRequiringOrganization({ secondFactorRules, accessLevel }: AccountRules): string | null {
  return secondFactorRules.find((rule) => isRequired(rule, accessLevel))?.organization ?? null;
}

function isRequired({ use, accessLevels }: SecondFactorRule, accessLevel: string): boolean {
  return use === 'required' && (accessLevels?.includes(accessLevel) ?? true);
}

/** The same for an account, today. @param origin null for a session, which every origin accepts */
export function getSecondFactorUse(
  { secondFactorRules: organizations, accessLevel }: AccountRules,
  origin: SecondFactorRule | null,
): SecondFactorUse {
  return decideSecondFactorUse({ origin, organizations, accessLevel, today: toDay(new Date()) });
}

export function isRequiredNow(use: SecondFactorUse): boolean {
  return use.use === 'required' && use.inForce;
}

/** The day of a moment, in UTC. */
export function toDay(moment: Date): string {
  return moment.toISOString().slice(0, 10);
}

/** Wrong codes of one sign-in that waits. */
export const MAX_TRIES = 5;
/** Wrong codes of one account, whichever sign-in they were of; then the lockout. Passkeys go on. */
const MAX_FAILURES = 10;
const LOCKOUT_MS = 15 * 60_000;

/** What is known of a code, before it is used up. */
export type AttemptFacts = {
  /** The sign-in that waits; `proof`: the signed-in user shows a second factor again. */
  signIn: 'open' | 'gone' | 'proof';
  /** The records say that the account has a second factor. */
  hasSecondFactor: boolean;
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

type AttemptDecision =
  | { outcome: 'accept' }
  /** `counts`: for the sign-in, and `ofAccount` for the account; null: nothing is counted. */
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
  // There is nothing to guess, and its owner may set one up.
  if (signIn === 'proof' && !hasSecondFactor)
    return { outcome: 'refuse', code: 'not-found', rule: 'no-second-factor', counts: null };
  if (signIn === 'open' && tries >= MAX_TRIES)
    return { outcome: 'refuse', code: 'code-locked', rule: 'tries-used-up', counts: null };
  // Also a right one: otherwise a lockout would only slow guesses down.
  if (isGuessable && lockedUntil !== null && lockedUntil > now) {
    const retryAfter = Math.ceil((lockedUntil.getTime() - now.getTime()) / 1000);
    return { outcome: 'refuse', code: 'too-many-requests', rule: 'locked-factor', counts: null, retryAfter };
  }
  if (code === 'right') return { outcome: 'accept' };
  // It was right: no guess at the account.
  if (code === 'used')
    return { outcome: 'refuse', code: 'code-used', rule: 'used-code', counts: { ofAccount: false, lockedUntil: null } };
  const lockout = isGuessable && failures + 1 >= MAX_FAILURES ? new Date(now.getTime() + LOCKOUT_MS) : null;
  const counts = { ofAccount: isGuessable, lockedUntil: lockout };
  if (signIn === 'proof') return { outcome: 'refuse', code: 'code-wrong', rule: 'wrong-code', counts };
  const triesLeft = MAX_TRIES - tries - 1;
  if (triesLeft === 0) return { outcome: 'refuse', code: 'code-locked', rule: 'tries-used-up', counts };
  return { outcome: 'refuse', code: 'code-wrong', rule: 'wrong-code', counts, triesLeft };
}
