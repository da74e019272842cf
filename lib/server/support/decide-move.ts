import { type AccountFacts, hasMailbox } from '@/lib/server/policy';
import type { ActionRefusal } from './decide';

/** Facts about an account that decide whether an operator can give it another email. */
export type MoveFacts = {
  /** Null if the account does not exist. */
  account: Pick<AccountFacts, 'email' | 'emailVerified' | 'managed'> | null;
  /** The new email, in lower case. */
  to: string;
  /** Id of the account that has the new email, or has proved it. Null if there is none. */
  holder: string | null;
  /** Whether it has passkeys of another email, as after an interrupted attempt. */
  hasOtherPasskeys: boolean;
  isDeletionScheduled: boolean;
  /** Whether the account's claims have room for the new email. */
  hasRoom: boolean;
};

type Rule = { rule: string; detail: string; refuses: (facts: MoveFacts) => boolean };

/** Every refusal. The first one that applies decides. */
export const MOVE_REFUSALS: readonly Rule[] = [
  { rule: 'unknown-account', detail: 'There is no such account', refuses: ({ account }) => account === null },
  {
    rule: 'deletion-scheduled',
    detail: 'The account is going to be deleted. Cancel the deletion first',
    refuses: ({ isDeletionScheduled }) => isDeletionScheduled,
  },
  {
    rule: 'same-email',
    detail: 'The account has this email already',
    refuses: ({ account, to, hasOtherPasskeys }) => account?.email === to && !hasOtherPasskeys,
  },
  {
    rule: 'unconfirmed-email',
    // An account without a mailbox has proved an email before, which another account has proved since.
    detail: 'The present email was never confirmed. The learner registers with the new one instead',
    refuses: ({ account }) =>
      account !== null && !account.emailVerified && !account.managed && hasMailbox(account.email),
  },
  {
    rule: 'email-taken',
    detail: 'Another account has the new email. Accounts cannot be merged: delete that one first',
    refuses: ({ holder }) => holder !== null,
  },
  {
    rule: 'no-room-for-email',
    detail: 'The custom claims of the account have no room for the new email',
    refuses: ({ hasRoom }) => !hasRoom,
  },
];

/** Decides whether an operator can give an account another email. @returns null if so */
export function decideMove(facts: MoveFacts): ActionRefusal | null {
  const refusal = MOVE_REFUSALS.find(({ refuses }) => refuses(facts));
  return refusal ? { rule: refusal.rule, detail: refusal.detail } : null;
}
