import { isOrganization } from '@/lib/shared/sign-in-methods';
import { hasMethod, type AccountFacts, type AccountMethod } from './account';

/**
 * Decides what a mailbox proof changes about an account, and what email can be used for. Pure, like the sign-in
 * decision next to it. docs/account-policy.md documents both as tables.
 */

export type MailboxProof = {
  by: 'code' | 'confirmation-link' | 'reset-code' | 'reset-link' | 'sign-in-link' | 'organization';
  /** `requesting`: the browser that requested this email; it holds the sealed token of this account and registration. */
  browser: 'requesting' | 'other';
  /** The method that browser signed in or registered with before the request, or the organization's provider. */
  presentedMethod: string | null;
  /**
   * Whose identity that was, by the provider's id of it; left out for a password, which has none. Until the proof, a stranger who can sign in to
   * the unverified account can put an own identity of the same provider in its place.
   */
  presentedSubject?: string | null;
  setsPassword: boolean;
};

export type MailboxDecision =
  /** The account is disabled, or has another email than the proved one. */
  | { outcome: 'refuse'; rule: string }
  /** The link proves the mailbox, but the account's password may have been set by a third party. */
  | { outcome: 'new-password-required' }
  | {
      outcome: 'accept';
      keep: string[];
      /** Methods that are removed: the user who proved the mailbox did not present them. */
      remove: string[];
      /** Clear name and picture: a third party may have set them. */
      clearProfile: boolean;
      verify: boolean;
      /** Revoke refresh tokens and sessions. */
      revoke: boolean;
      /**
       * Security notification to the owner: which methods were removed, or that the password changed and which methods
       * remain.
       */
      notice: 'methods-removed' | 'password-changed' | null;
    };

/**
 * Decides what a mailbox proof changes. On a verified account it changes only the password, if one comes with it. On an
 * unverified account every method that the proving user did not present is removed: an attacker can create an account for
 * an email and link providers to it before the owner registers (docs/account-policy.md#mailbox-proofs).
 */
export function decideMailboxProof(account: AccountFacts, proof: MailboxProof): MailboxDecision {
  if (account.disabled) return { outcome: 'refuse', rule: 'disabled-account' };
  const ids = account.methods.map(({ id }) => id);
  if (account.emailVerified) {
    const keep = proof.setsPassword ? [...new Set([...ids, 'password'])] : ids;
    return {
      outcome: 'accept',
      keep,
      remove: [],
      clearProfile: false,
      verify: false,
      revoke: proof.setsPassword,
      notice: proof.setsPassword ? 'password-changed' : null,
    };
  }
  if (proof.by === 'confirmation-link' && proof.browser === 'other' && !proof.setsPassword)
    return { outcome: 'new-password-required' };

  const presented = getPresentedMethod(proof);
  const { presentedSubject = null } = proof;
  const isPresented = ({ id, subject }: AccountMethod) =>
    id === presented && (presentedSubject === null || subject === presentedSubject);
  const kept = account.methods.filter(isPresented).map(({ id }) => id);
  const remove = ids.filter((id) => !kept.includes(id));
  return {
    outcome: 'accept',
    keep: proof.setsPassword ? ['password'] : kept,
    remove,
    clearProfile: !isOwnAccount(proof),
    verify: true,
    revoke: true,
    notice: getNotice(proof, remove),
  };
}

function getPresentedMethod({ browser, presentedMethod, setsPassword, by }: MailboxProof): string | null {
  if (setsPassword) return 'password';
  return browser === 'requesting' || by === 'organization' ? presentedMethod : null;
}

/** The browser created or used the account before, or an organization has just authenticated the user. */
function isOwnAccount({ by, browser, presentedMethod }: MailboxProof): boolean {
  return by === 'organization' || (browser === 'requesting' && presentedMethod !== null);
}

function getNotice({ setsPassword }: MailboxProof, remove: readonly string[]) {
  if (setsPassword) return 'password-changed';
  return remove.length > 0 ? 'methods-removed' : null;
}

/**
 * Whether a new registration replaces the account under a new id: its email was never verified, it cannot have had a
 * session, and it has only a password. Otherwise an owner who registers second would confirm an account with the
 * password of the first registrant (docs/adr/0008).
 */
export function isReplaceable({ verifiedAtProvider, disabled, hasClaims, methods }: AccountFacts): boolean {
  return !verifiedAtProvider && !disabled && !hasClaims && methods.every(({ id }) => id === 'password');
}

/** What an email may be used for on an account. */
export type EmailedAccess = {
  /** Set a password with an emailed code or link. */
  password: boolean;
  /** Sign in with an emailed link. */
  signIn: boolean;
};

/**
 * Accounts of an organization get neither a password nor sign-in by email: the organization controls access, including
 * after a user leaves. A provider-only account gets no password either, unless its email is unverified: then the owner
 * may never have used that provider (docs/account-policy.md#access-by-email).
 */
export function decideEmailedAccess(account: AccountFacts): EmailedAccess {
  if (account.disabled || account.managed) return { password: false, signIn: false };
  const opensByPassword = account.methods.length === 0 || hasMethod(account, 'password');
  const isOrganizationOnly = account.methods.length > 0 && account.methods.every(({ id }) => isOrganization(id));
  // A third party may have linked a provider to an unverified email. It must not lock out the owner.
  if (!account.emailVerified) return { password: true, signIn: true };
  return { password: opensByPassword, signIn: !isOrganizationOnly };
}
