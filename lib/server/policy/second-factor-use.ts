import type { SecondFactorRule } from '@/lib/shared/config/second-factor-rule';

/** The rules that apply to a sign-in. */
export type SecondFactorUseFacts = {
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

/** The facts of an account that decide. */
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
