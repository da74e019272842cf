import type { AccountMethod } from './account';

/**
 * Decides whose an email is, and what a repair of an account that was moved away from its proved email removes. Pure, like the decisions next to
 * it. docs/account-policy.md#whose-an-email-is documents both as tables.
 */

/**
 * The account that has an email at the identity provider: `none`, the account itself, another one that has proved this very email here, or
 * another one that has not.
 */
export type EmailHolder = 'none' | 'itself' | 'proved' | 'unproved';

export type OwnershipFacts = {
  /** The email that the account has proved here; null when it has proved none. */
  proved: string | null;
  /** Who has that email now. */
  holder: EmailHolder;
  /** The account has an email without a mailbox, as after `lock`. */
  isLocked: boolean;
};

export type OwnershipDecision =
  /** Nothing to repair. */
  | 'keep'
  /** The account gets its proved email back. */
  | 'restore'
  /** The same, after the account that has it without a proof has given way. */
  | 'displace'
  /**
   * The mailbox was proved for another account since, and its reader is the owner of that one: a mailbox can get a new owner. This account gets
   * an email without a mailbox, so that the one that it was moved to is free.
   */
  | 'lock';

export function decideOwnership({ proved, holder, isLocked }: OwnershipFacts): OwnershipDecision {
  if (proved === null || holder === 'itself') return 'keep';
  if (holder === 'none') return 'restore';
  if (holder === 'unproved') return 'displace';
  return isLocked ? 'keep' : 'lock';
}

/** Whether a sign-in method is an identity of another email than the account's. */
export const isOfOtherEmail = ({ id, email: own }: AccountMethod, email: string | null) =>
  id !== 'password' && own !== email;

/**
 * What a session cookie has no room for: a client can connect identities with long ids at the identity provider.
 * @param used the method of the present sign-in, which stays
 * @returns the ids of the methods that are removed, and of those that stay
 */
export function decideMethodsToCut(
  methods: readonly AccountMethod[],
  { email, used }: { email: string | null; used: string | null },
): Removed {
  const isCut = (method: AccountMethod) => method.id !== used && isOfOtherEmail(method, email);
  return split(methods, isCut);
}

type Removed = { remove: string[]; keep: string[] };

function split(methods: readonly AccountMethod[], isRemoved: (method: AccountMethod) => boolean): Removed {
  return {
    remove: methods.filter(isRemoved).map(({ id }) => id),
    keep: methods.filter((method) => !isRemoved(method)).map(({ id }) => id),
  };
}

/**
 * What a repair removes: no more than someone can have used or added who moved the account at the identity provider's public API. That takes a
 * sign-in there, so the password is known to them, and so is every identity of another email. Passkeys and the second factor of this app were never
 * shown there: they stay.
 * @returns the ids of the methods that are removed, and of those that stay
 */
export function decideRepair(methods: readonly AccountMethod[], email: string): Removed {
  return split(methods, (method) => method.id === 'password' || isOfOtherEmail(method, email));
}

/** Under a domain without mailboxes (RFC 6761, section 6.4). */
const NO_MAILBOX = '@unproved.invalid';

export const toEmailWithoutMailbox = (id: string) => `${id}${NO_MAILBOX}`;
export const hasMailbox = (email: string | null) => email?.endsWith(NO_MAILBOX) !== true;
