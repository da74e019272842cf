import type { ProblemCode } from '@/lib/shared/problem';
import type { AccountFacts } from './account';

/** How long a code or link of the new mailbox is valid, in milliseconds. */
export const EMAIL_CHANGE_MS = 15 * 60_000;
/** How long the former mailbox can cancel or undo a change of the email, in milliseconds. */
export const EMAIL_UNDO_MS = 7 * 86_400_000;

/** Facts about a request to change the email of the signed-in user's account. */
export type EmailChangeFacts = {
  account: Pick<AccountFacts, 'email' | 'managed'>;
  /** The new email, in lower case. */
  to: string;
  /** Whether an organization of the directory has the domain of the new email. */
  isOfOrganization: boolean;
  isDeletionScheduled: boolean;
  /** Whether the account's claims have room for the new email. */
  hasRoom: boolean;
};

/**
 * Decides whether the user may ask for another email. It does not ask whose the new email is, because the answer would
 * reveal who has an account.
 * @returns why not, or null
 */
export function decideEmailChange({
  account,
  to,
  isOfOrganization,
  isDeletionScheduled,
  hasRoom,
}: EmailChangeFacts): ProblemCode | null {
  if (account.managed) return 'email-managed';
  if (isDeletionScheduled) return 'deletion-scheduled';
  if (isOfOrganization) return 'email-of-organization';
  // The page does not send the present email. Claims without room are an operator's.
  return account.email === null || account.email === to || !hasRoom ? 'bad-request' : null;
}

/** A row of `email_changes`. `ageMs`: milliseconds since the request. All times are the database's. */
export type EmailChange = {
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
  account: Pick<AccountFacts, 'email' | 'disabled' | 'managed' | 'validSince'>;
  isDeletionScheduled: boolean;
  /** Whether another account has the new email, or has proved it, since it was requested. */
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
  isTaken,
}: EmailProofFacts): 'expired' | 'ended' | 'taken' | null {
  if (change === null || change.ageMs > EMAIL_CHANGE_MS) return 'expired';
  // Revocations are whole seconds.
  const isRevoked = account.validSince >= Math.floor(change.requestedAt.getTime() / 1000);
  const isOther = account.email !== change.from || account.disabled || account.managed || isDeletionScheduled;
  if (change.endedAt !== null || change.doneAt !== null || isRevoked || isOther) return 'ended';
  return isTaken ? 'taken' : null;
}

/**
 * Decides what the link of the former mailbox does. It cancels a change that waits, and restores the former email after
 * the change. It works even if later changes followed, which then end, too.
 * @param isTaken whether another account has proved the former email since
 */
export function decideEmailUndo(
  change: EmailChange | null,
  isTaken: boolean,
): 'cancel' | 'restore' | 'expired' | 'ended' | 'taken' {
  if (change === null || change.ageMs > EMAIL_UNDO_MS) return 'expired';
  if (change.endedAt !== null) return 'ended';
  if (change.doneAt === null) return 'cancel';
  return isTaken ? 'taken' : 'restore';
}

/**
 * Returns the time until which added passkeys count as the owner's. An intruder may have added one in the days before
 * the request, so that it survives a restoration.
 */
export function getOwnUntil({ requestedAt }: Pick<EmailChange, 'requestedAt'>): Date {
  return new Date(requestedAt.getTime() - EMAIL_UNDO_MS);
}
