import { decideEmailedAccess, hasMethod, type AccountFacts } from '@/lib/server/policy';

/** Facts about an account for its description. Plain data, so that the description stays a pure function. */
export type SupportFacts = {
  /** Null if the account is gone at the identity provider, and records of it remain. */
  account: Omit<AccountFacts, 'secondFactorRules' | 'twoFactorProviders'> | null;
  /** The account has another email than the one that was proved to this app. */
  hasOtherEmail: boolean;
  /** Name of the organization that manages the account. */
  organization: string | null;
  passkeys: number;
  /** Null if the account has no second factor. */
  secondFactorSince: Date | null;
  /** Until then, codes of authenticator apps are refused. */
  factorsLockedUntil: Date | null;
  /** When a reset of the lost second factor takes effect. */
  resetAt: Date | null;
  deletion: { effectiveAt: Date; hasBegun: boolean } | null;
};

/** A statement about an account. `rule` is its stable name. */
export type Statement = { rule: string; text: string };

type Rule = { name: string; describe: (facts: SupportFacts, now: Date) => string | null };

const formatDay = (moment: Date) =>
  moment.toLocaleDateString('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' });
const when = (condition: boolean | undefined, text: string): string | null => (condition ? text : null);

/** Every statement, in the order in which support reads them. */
export const STATEMENTS: readonly Rule[] = [
  {
    name: 'deleted-account',
    describe: ({ account }) => when(account === null, 'The account is deleted. Records of it remain.'),
  },
  {
    name: 'disabled-account',
    describe: ({ account, hasOtherEmail }) =>
      when(account?.disabled && !hasOtherEmail, 'The account is disabled. No one can sign in to it.'),
  },
  {
    name: 'other-email-than-proved',
    describe: ({ hasOtherEmail }) =>
      when(
        hasOtherEmail,
        'The account was moved to another email than the proved one. The next sign-in restores the proved one.',
      ),
  },
  {
    name: 'deletion-scheduled',
    describe: ({ deletion }) => {
      if (deletion === null) return null;
      if (deletion.hasBegun) return 'The account is being deleted.';
      return `The account will be deleted on ${formatDay(deletion.effectiveAt)} (UTC).`;
    },
  },
  {
    name: 'no-email',
    describe: ({ account }) => when(account?.email === null, 'The account has no email, so it cannot sign in here.'),
  },
  {
    name: 'unverified-email',
    describe: ({ account }) =>
      when(
        account !== null && account.email !== null && !account.emailVerified,
        'The email is not confirmed. A sign-in emails a code first.',
      ),
  },
  {
    name: 'managed-account',
    describe: ({ account, organization }) => {
      if (!account?.managed) return null;
      const domain = account.email?.slice(account.email.lastIndexOf('@') + 1) ?? '';
      return `The account cannot use a password: addresses of ${domain} sign in by ${organization ?? 'their organization'}.`;
    },
  },
  {
    name: 'no-password',
    describe: ({ account }) => {
      if (account === null || account.managed || hasMethod(account, 'password')) return null;
      const setsPassword = decideEmailedAccess({ ...account, disabled: false }).password;
      return `The account has no password. "Forgot password" ${setsPassword ? 'sets one' : 'emails its sign-in methods'}.`;
    },
  },
  {
    name: 'no-sign-in-method',
    describe: ({ account, passkeys }) =>
      when(account?.methods.length === 0 && passkeys === 0, 'The account has no sign-in method.'),
  },
  {
    name: 'legacy-account',
    describe: ({ account }) =>
      when(account?.legacy, 'The account is from the previous system. Its first sign-in can require a new password.'),
  },
  {
    name: 'second-factor-on',
    describe: ({ secondFactorSince }) =>
      secondFactorSince && `Two-step verification is on since ${formatDay(secondFactorSince)} (UTC).`,
  },
  {
    name: 'factors-locked',
    describe: ({ factorsLockedUntil }, now) => {
      if (factorsLockedUntil === null || factorsLockedUntil <= now) return null;
      const minutes = Math.ceil((factorsLockedUntil.getTime() - now.getTime()) / 60_000);
      return `Codes of authenticator apps are locked for ${String(minutes)} min. Recovery codes and passkeys work.`;
    },
  },
  {
    name: 'factor-reset-scheduled',
    describe: ({ resetAt }) => resetAt && `Two-step verification turns off on ${formatDay(resetAt)} (UTC).`,
  },
];

/** Describes the state of an account in the words of docs/account-policy.md. An account without a special state gets none. */
export function describeAccountForSupport(facts: SupportFacts, now: Date): Statement[] {
  return STATEMENTS.flatMap(({ name, describe }) => {
    const text = describe(facts, now);
    return text === null ? [] : [{ rule: name, text }];
  });
}
