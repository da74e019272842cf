import { z } from 'zod';
import { decideEmailedAccess, hasMailbox, type AccountFacts } from '@/lib/server/policy';
import { ACCOUNT_ACTIONS, type AccountAction, REASON } from '@/lib/shared/support/desk';

/** What an operator may be allowed to do, by the names of `OPERATORS_FILE`. */
export const SUPPORT_ACTIONS = ['read', ...ACCOUNT_ACTIONS] as const;
export type SupportAction = (typeof SUPPORT_ACTIONS)[number];

/** The id of an account. The identity provider counts UTF-16 units, of which a character can have two. */
export const accountIdSchema = z
  .string()
  .min(1)
  .max(128)
  .refine(({ length }) => length <= 128);

/** An authenticated operator. */
export type Operator = { name: string; actions: readonly SupportAction[] };

/** Why an operator does something. */
export const reasonSchema = z
  .string()
  .trim()
  .min(REASON.min)
  .max(REASON.max)
  .regex(REASON.line)
  .describe('The owner of the account reads it. Name a ticket and no person.');

/** Facts about an account that decide what an operator can do with it. */
export type ActionFacts = {
  /** Null if the account is gone at the identity provider. */
  account: AccountFacts | null;
  /** The flag of operators. `disabled` of the facts has other causes, too. */
  isDisabled: boolean;
  /** The database has records of the account. */
  hasRecords: boolean;
  hasSecondFactor: boolean;
  areFactorsLocked: boolean;
  deletion: 'none' | 'scheduled' | 'begun';
};

/** `rule`: its stable name. `detail`: for the operator. */
export type ActionRefusal = { rule: string; detail: string };

type Rule = ActionRefusal & {
  /** The actions that it refuses. All if omitted. */
  of?: readonly AccountAction[];
  except?: readonly AccountAction[];
  refuses: (facts: ActionFacts) => boolean;
};

/** Returns the mailbox of an account's owner. An account that gave way to another one has an email without a mailbox. */
export function getMailbox(account: Pick<AccountFacts, 'email'> | null): string | null {
  const email = account?.email ?? null;
  return email !== null && hasMailbox(email) ? email : null;
}

const EMAILS = ['resend-confirmation', 'send-reset'] as const;

/** Every refusal. The first one that applies decides. */
export const ACTION_REFUSALS: readonly Rule[] = [
  {
    rule: 'unknown-account',
    detail: 'There is no such account',
    refuses: ({ account, hasRecords }) => account === null && !hasRecords,
  },
  {
    rule: 'deleted-account',
    detail: 'The account is deleted. Only its records can be deleted',
    except: ['delete'],
    refuses: ({ account }) => account === null,
  },
  {
    rule: 'deletion-begun',
    detail: 'The account is being deleted',
    except: ['delete'],
    refuses: ({ deletion }) => deletion === 'begun',
  },
  {
    rule: 'no-mailbox',
    detail: 'The account has no email',
    of: EMAILS,
    refuses: ({ account }) => getMailbox(account) === null,
  },
  {
    rule: 'disabled-account',
    detail: 'The account is disabled, so no email gives access to it',
    of: EMAILS,
    refuses: ({ account }) => account?.disabled === true,
  },
  {
    rule: 'confirmed-email',
    detail: 'The email is confirmed already',
    of: ['resend-confirmation'],
    refuses: ({ account }) => account?.emailVerified === true,
  },
  {
    rule: 'no-password-by-email',
    detail: 'An email cannot set a password of this account. See its sign-in methods',
    of: EMAILS,
    refuses: ({ account }) => account !== null && !decideEmailedAccess(account).password,
  },
  {
    rule: 'already-disabled',
    detail: 'The account is disabled already',
    of: ['disable'],
    refuses: ({ isDisabled }) => isDisabled,
  },
  {
    rule: 'not-disabled',
    detail: 'The account is not disabled',
    of: ['enable'],
    refuses: ({ isDisabled }) => !isDisabled,
  },
  {
    rule: 'factors-not-locked',
    detail: 'Codes of authenticator apps are not locked',
    of: ['unlock'],
    refuses: ({ areFactorsLocked }) => !areFactorsLocked,
  },
  {
    rule: 'no-deletion',
    detail: 'The account is not going to be deleted',
    of: ['cancel-deletion'],
    refuses: ({ deletion }) => deletion === 'none',
  },
  {
    rule: 'no-second-factor',
    detail: 'Two-step verification is off already',
    of: ['second-factor-off'],
    refuses: ({ hasSecondFactor }) => !hasSecondFactor,
  },
];

/** Lists what an operator can do with an account in its present state. */
export function listPossibleActions({ actions }: Operator, facts: ActionFacts): AccountAction[] {
  return ACCOUNT_ACTIONS.filter((action) => actions.includes(action) && decideAction(action, facts) === null);
}

/** Decides whether an operator can do something with an account in its present state. @returns null if so */
export function decideAction(action: AccountAction, facts: ActionFacts): ActionRefusal | null {
  const refusal = ACTION_REFUSALS.find(({ of = ACCOUNT_ACTIONS, except = [], refuses }) => {
    return of.includes(action) && !except.includes(action) && refuses(facts);
  });
  return refusal ? { rule: refusal.rule, detail: refusal.detail } : null;
}
