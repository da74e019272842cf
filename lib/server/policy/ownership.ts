import type { AccountMethod } from './account';

/**
 * Decides who owns an email, and what a repair removes when an account's email is no longer the proved email. The
 * decisions are pure, and docs/account-policy.md#whose-an-email-is documents them as tables.
 */

/**
 * The account that has an email at the identity provider: `none`, the account itself, or another account. `proved` and
 * `unproved`: whether that other account has proved the email here.
 */
export type EmailHolder = 'none' | 'itself' | 'proved' | 'unproved';

export type OwnershipFacts = {
  /** The email that the account has proved here, or null. */
  proved: string | null;
  /** The holder of that email now. */
  holder: EmailHolder;
  /** Whether the account has an email without a mailbox, as after `lock`. */
  isLocked: boolean;
};

export type OwnershipDecision =
  /** Nothing to repair. */
  | 'keep'
  /** The account gets its proved email back. */
  | 'restore'
  /** The account gets its proved email back. First, the account that has this email without a proof loses it. */
  | 'displace'
  /**
   * A mailbox can get a new owner, so another account has proved it since and keeps it. This account gets an email
   * without a mailbox, which frees the email that an attacker gave it.
   */
  | 'lock';

export function decideOwnership({ proved, holder, isLocked }: OwnershipFacts): OwnershipDecision {
  if (proved === null || holder === 'itself') return 'keep';
  if (holder === 'none') return 'restore';
  if (holder === 'unproved') return 'displace';
  return isLocked ? 'keep' : 'lock';
}

/** Whether a sign-in method is an identity with another email than the account's. */
export const isOfOtherEmail = ({ id, email: own }: AccountMethod, email: string | null) =>
  id !== 'password' && own !== email;

/**
 * Which sign-in methods to remove if a session cookie is too long. `of-another-email` is tried first. Then the methods
 * with the longest ids are removed, until the cookie is `bytes` shorter.
 */
export type CutMethods = 'of-another-email' | { bytes: number };

/**
 * Selects the methods to remove from an account whose session cookie is too long. At the identity provider, a client
 * can connect identities with long ids, also with the account's own email. The password has no id.
 * @param facts `used`: the method of the current sign-in, which stays; `managers`: organizations that control access to
 *   the account, which stay
 * @returns the ids of the removed and of the remaining methods
 */
export function decideMethodsToCut(
  methods: readonly AccountMethod[],
  which: CutMethods,
  { email, used, managers }: { email: string | null; used: string | null; managers: readonly string[] },
): Removed {
  const mayGo = ({ id }: AccountMethod) => id !== 'password' && id !== used && !managers.includes(id);
  if (which === 'of-another-email') return split(methods, (method) => mayGo(method) && isOfOtherEmail(method, email));
  const longest = methods.filter(mayGo).sort((one, other) => getCookieBytes(other) - getCookieBytes(one));
  let left = which.bytes;
  const cut = longest.filter((method) => {
    const isNeeded = left > 0;
    if (isNeeded) left -= getCookieBytes(method);
    return isNeeded;
  });
  return split(methods, (method) => cut.includes(method));
}

/** Returns the bytes of a method in a session cookie, whose claims are JSON in base64url. */
const getCookieBytes = ({ id, subject = '' }: AccountMethod) =>
  Math.floor((Buffer.byteLength(`${JSON.stringify(id)}:${JSON.stringify([subject])},`) * 4) / 3);

type Removed = { remove: string[]; keep: string[] };

function split(methods: readonly AccountMethod[], isRemoved: (method: AccountMethod) => boolean): Removed {
  return {
    remove: methods.filter(isRemoved).map(({ id }) => id),
    keep: methods.filter((method) => !isRemoved(method)).map(({ id }) => id),
  };
}

/**
 * Selects the methods to remove in a repair. An attacker can have used or added them to change the email at the
 * identity provider's public API. That takes a sign-in there, so the attacker knows the password and every identity
 * with another email. Passkeys and this app's second factor stay, because they are never shown there.
 * @returns the ids of the removed and of the remaining methods
 */
export function decideRepair(methods: readonly AccountMethod[], email: string): Removed {
  return split(methods, (method) => method.id === 'password' || isOfOtherEmail(method, email));
}

/**
 * Lists an account's methods, with a password that the identity provider may hide. If the email was deleted there, the
 * provider keeps the password but does not list it. The password works again once the account has an email.
 * @param email the account's email now
 */
export function listMethodsToRepair(methods: readonly AccountMethod[], email: string | null): readonly AccountMethod[] {
  const isListed = email !== null || methods.some(({ id }) => id === 'password');
  return isListed ? methods : [...methods, { id: 'password', email: null }];
}

/** A domain without mailboxes (RFC 6761, section 6.4). */
const NO_MAILBOX = '@unproved.invalid';

export const toEmailWithoutMailbox = (id: string) => `${id}${NO_MAILBOX}`;
export const hasMailbox = (email: string | null) => email?.endsWith(NO_MAILBOX) !== true;
