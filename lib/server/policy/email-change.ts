import type { ProblemCode } from '@/lib/shared/problem';
import type { AccountFacts } from './account';

/** How long a code or link of the new mailbox is valid, in milliseconds. */
export const EMAIL_CHANGE_MS = 15 * 60_000;
/** How long the former mailbox can cancel or undo a change of the email, in milliseconds. */
export const EMAIL_UNDO_MS = 7 * 86_400_000;

/** `main`: the account gets the email. `recovery`: it becomes the account's recovery email (docs/adr/0051). */
export type EmailUse = 'main' | 'recovery';

/** Facts about a request for another email, or a recovery email, of the signed-in user's account. */
export type EmailChangeFacts = {
  kind: EmailUse;
  account: Pick<AccountFacts, 'email' | 'emailVerified' | 'managed'>;
  /** The new email, in lower case. */
  to: string;
  /** Whether an organization of the directory has the domain of the new email. */
  isOfOrganization: boolean;
  isDeletionScheduled: boolean;
  /** Whether the account's claims have room for the new email. A recovery email is in no claim. */
  hasRoom: boolean;
  hasRecoveryEmail: boolean;
};

/**
 * Decides whether the user may ask for another email. It does not ask whose the new email is, because the answer would
 * reveal who has an account.
 * @returns why not, or null
 */
export function decideEmailChange({
  kind,
  account,
  to,
  isOfOrganization,
  isDeletionScheduled,
  hasRoom,
  hasRecoveryEmail,
}: EmailChangeFacts): ProblemCode | null {
  if (kind === 'main' && account.managed) return 'email-managed';
  if (isDeletionScheduled) return 'deletion-scheduled';
  if (isOfOrganization) return 'email-of-organization';
  // The page sends none of these. Claims without room are an operator's.
  if (account.email === null || account.email === to) return 'bad-request';
  const isPossible = kind === 'main' ? hasRoom : account.emailVerified && !hasRecoveryEmail;
  return isPossible ? null : 'bad-request';
}

/** A row of `email_changes`. `ageMs`: milliseconds since the request. All times are the database's. */
export type EmailChange = {
  kind: EmailUse;
  from: string;
  requestedAt: Date;
  doneAt: Date | null;
  endedAt: Date | null;
  ageMs: number;
};

/** Facts about a code or link that the new mailbox has got. */
export type EmailProofFacts = {
  /** Null if the row is gone. */
  change: EmailChange | null;
  account: Pick<AccountFacts, 'email' | 'emailVerified' | 'disabled' | 'managed' | 'validSince'>;
  isDeletionScheduled: boolean;
  hasRecoveryEmail: boolean;
  /**
   * Whether another account has the new email, or has proved it, since it was requested. A recovery email is also taken if
   * it is the one of another account.
   */
  isTaken: boolean;
};

/**
 * Decides whether a proof of the new mailbox changes the email. The request ends with the sign-ins of its account: a
 * revocation after it ends it.
 * @returns why not, or null
 */
export function decideEmailProof({
  change,
  account,
  isDeletionScheduled,
  hasRecoveryEmail,
  isTaken,
}: EmailProofFacts): 'expired' | 'ended' | 'taken' | null {
  if (change === null || change.ageMs > EMAIL_CHANGE_MS) return 'expired';
  // Revocations are whole seconds.
  const isRevoked = account.validSince >= Math.floor(change.requestedAt.getTime() / 1000);
  const isOther = account.email !== change.from || account.disabled || isDeletionScheduled;
  const isPossible = change.kind === 'main' ? !account.managed : account.emailVerified && !hasRecoveryEmail;
  if (change.endedAt !== null || change.doneAt !== null || isRevoked || isOther || !isPossible) return 'ended';
  return isTaken ? 'taken' : null;
}

/**
 * Decides what the link of the former mailbox does. It cancels a change that waits, and restores the former email after
 * the change. It works even if later changes followed, which then end, too. It removes a recovery email.
 * @param isTaken whether another account has proved the former email since
 */
export function decideEmailUndo(
  change: EmailChange | null,
  isTaken: boolean,
): 'cancel' | 'restore' | 'remove' | 'expired' | 'ended' | 'taken' {
  if (change === null || change.ageMs > EMAIL_UNDO_MS) return 'expired';
  if (change.endedAt !== null) return 'ended';
  if (change.doneAt === null) return 'cancel';
  if (change.kind === 'recovery') return 'remove';
  return isTaken ? 'taken' : 'restore';
}

/**
 * Returns the time until which added passkeys and a recovery email count as the owner's. An intruder may have added one in the days before
 * the request, so that it survives a restoration.
 */
export function getOwnUntil({ requestedAt }: Pick<EmailChange, 'requestedAt'>): Date {
  return new Date(requestedAt.getTime() - EMAIL_UNDO_MS);
}

/** Facts about an email for which a password reset is requested. */
export type ResetFacts = {
  /** The account that has the email, or has proved it. */
  holder: Pick<AccountFacts, 'emailVerified'> | null;
  /** The account whose recovery email it is. */
  owner: Pick<AccountFacts, 'emailVerified'> | null;
};

/**
 * Decides which account a reset of an email is about. An account that has proved the email wins, because the mailbox may
 * have passed to another person. An account that has not proved it does not, because anyone can register it. A reset must
 * not confirm an email by the mailbox of another one.
 */
export function decideResetAccount({ holder, owner }: ResetFacts): 'holder' | 'owner' | null {
  if (holder?.emailVerified) return 'holder';
  if (owner?.emailVerified) return 'owner';
  return holder === null ? null : 'holder';
}
