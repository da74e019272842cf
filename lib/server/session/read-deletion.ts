import { nullOnProblem } from '@/lib/shared/problem';
import { withRecords } from '@/lib/server/storage';
import { readDeletion } from '@/lib/server/notifications';

/** How long a sign-in waits for it, in milliseconds. */
const TIMEOUT_MS = 1_000;

/**
 * When the account of a user who has just signed in is deleted, RFC 3339.
 * @returns null without a scheduled deletion, and while the database is away: the sign-in goes on
 */
export async function readDeletionAtSignIn(uid: string): Promise<string | null> {
  const found = await nullOnProblem(withRecords((records) => readDeletion(records, uid), TIMEOUT_MS));
  return found?.effectiveAt.toISOString() ?? null;
}
