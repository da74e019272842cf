import type { UserRecord } from 'firebase-admin/auth';
import { identityAdmin } from '../session';
import { askProvider } from '../session/provider-errors';

/** @returns the account of an address, or null. @throws ApiProblem 503 */
export function findByEmail(email: string): Promise<UserRecord | null> {
  return askProvider(orNull(identityAdmin().getUserByEmail(email)));
}

/** @returns the account of an id, or null. @throws ApiProblem 503 */
export function findById(uid: string): Promise<UserRecord | null> {
  return askProvider(orNull(identityAdmin().getUser(uid)));
}

/**
 * Whether the owner of the mailbox may set a password: whoever has one, and who has no way in at all, such as people brought
 * over without their hashes. Accounts of providers and organisations get none by the way.
 */
export function maySetPassword({ providerData }: UserRecord): boolean {
  return providerData.length === 0 || providerData.some(({ providerId }) => providerId === 'password');
}

async function orNull(question: Promise<UserRecord>): Promise<UserRecord | null> {
  try {
    return await question;
  } catch (error) {
    if (hasCode(error, 'auth/user-not-found')) return null;
    throw error;
  }
}

/** Whether firebase-admin threw this code. */
export function hasCode(error: unknown, code: string): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === code;
}
