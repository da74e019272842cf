import { isOrganization } from '@/lib/shared/sign-in-methods';
import type { ProblemCode } from '@/lib/shared/problem';
import { hasMethod, type AccountFacts, type AccountMethod } from './account';
import { isOfOtherEmail } from './ownership';
import type { Refused } from './refusal';

/**
 * Decides what a mailbox proof changes about an account, and what its email can be used for. The decisions are pure,
 * and docs/account-policy.md documents them as tables.
 */

export type MailboxProof = {
  by: 'code' | 'confirmation-link' | 'reset-code' | 'reset-link' | 'sign-in-code' | 'sign-in-link' | 'organization';
  /** `requesting`: the browser that requested this email. It has the sealed token of this account and registration. */
  browser: 'requesting' | 'other';
  /** The method of that browser's sign-in or registration before the request, or the organization's provider. */
  presentedMethod: string | null;
  /**
   * The provider's id of that identity. Absent for a password, which has no such id. Before the proof, an attacker who
   * can sign in to the unverified account can replace that identity by their own at the same provider.
   */
  presentedSubject?: string | null;
  setsPassword: boolean;
};

export type MailboxDecision =
  /** An operator disabled the account, or its email is not the proved email. */
  | ({ outcome: 'refuse' } & Refused)
  /** The link proves the mailbox, but a third party may have set the account's password. */
  | { outcome: 'new-password-required' }
  | {
      outcome: 'accept';
      keep: string[];
      /** Methods to remove, because the user who proved the mailbox did not present them. */
      remove: string[];
      /** Clear name and picture, because a third party may have set them. */
      clearProfile: boolean;
      verify: boolean;
      /** Revoke refresh tokens and sessions. */
      revoke: boolean;
      /**
       * Security notice to the owner: which methods were removed, or that the password changed and which methods
       * remain.
       */
      notice: 'methods-removed' | 'password-changed' | null;
    };

/**
 * Decides what a mailbox proof changes. On a verified account, it changes only a password that comes with it. On an
 * unverified account, it removes every method that the proving user did not present. Otherwise an attacker could create
 * an account for an email and link providers to it before the owner registers (docs/account-policy.md#mailbox-proofs).
 * An account that has already proved this email keeps the identities with this email.
 */
export function decideMailboxProof(account: AccountFacts, proof: MailboxProof): MailboxDecision {
  if (account.disabled) return { outcome: 'refuse', code: getRefusedProofCode(proof), rule: 'disabled-account' };
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
  // These identities survive a repair (`decideRepair`). An attacker who changed the email cannot have an identity with
  // this email.
  const isOwners = (method: AccountMethod) =>
    account.hasProvedEmail && method.id !== 'password' && !isOfOtherEmail(method, account.email);
  const kept = account.methods.filter((method) => isPresented(method) || isOwners(method)).map(({ id }) => id);
  const remove = ids.filter((id) => !kept.includes(id));
  return {
    outcome: 'accept',
    keep: proof.setsPassword ? [...new Set([...kept, 'password'])] : kept,
    remove,
    clearProfile: !isOwnAccount(proof),
    verify: true,
    revoke: true,
    notice: getNotice(proof, remove),
  };
}

/**
 * Returns the code of a refused proof. It is also the code of an expired code or link, so a response does not reveal
 * the account's state.
 */
export function getRefusedProofCode({ by }: Pick<MailboxProof, 'by'>): ProblemCode {
  return by === 'code' || by === 'reset-code' || by === 'sign-in-code' ? 'code-expired' : 'action-code-invalid';
}

function getPresentedMethod({ browser, presentedMethod, setsPassword, by }: MailboxProof): string | null {
  if (setsPassword) return 'password';
  return browser === 'requesting' || by === 'organization' ? presentedMethod : null;
}

/** Whether the browser already created or used the account, or an organization has just authenticated the user. */
function isOwnAccount({ by, browser, presentedMethod }: MailboxProof): boolean {
  return by === 'organization' || (browser === 'requesting' && presentedMethod !== null);
}

function getNotice({ setsPassword }: MailboxProof, remove: readonly string[]) {
  if (setsPassword) return 'password-changed';
  return remove.length > 0 ? 'methods-removed' : null;
}

/**
 * Whether an account was created for an email and never used. Its email was never verified, so it cannot have had a
 * session, and it has only a password. It is deleted if it must give way (`decideOwnership`).
 */
export function isAbandoned({ verifiedAtProvider, disabled, hasClaims, methods }: AccountFacts): boolean {
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
 * Decides what an email may be used for on an account. An organization's accounts get neither a password nor sign-in by
 * email, because the organization controls access, also after a user leaves. A provider-only account gets no password,
 * unless its email is unverified. Then the owner may never have used that provider
 * (docs/account-policy.md#access-by-email).
 */
export function decideEmailedAccess(
  account: Pick<AccountFacts, 'disabled' | 'emailVerified' | 'managed' | 'methods'>,
): EmailedAccess {
  if (account.disabled || account.managed) return { password: false, signIn: false };
  const opensByPassword = account.methods.length === 0 || hasMethod(account, 'password');
  const isOrganizationOnly = account.methods.length > 0 && account.methods.every(({ id }) => isOrganization(id));
  // A third party may have linked a provider to an unverified email. It must not lock out the owner.
  if (!account.emailVerified) return { password: true, signIn: true };
  return { password: opensByPassword, signIn: !isOrganizationOnly };
}
