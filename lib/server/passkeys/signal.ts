import type { IncomingMessage } from 'node:http';
import type { PasskeySignal } from '@/lib/shared/account/passkeys';
import { nullOnProblem } from '@/lib/shared/problem';
import { listPasskeys, withRecords } from '@/lib/server/storage';
import type { SessionUser } from '@/lib/server/session';
import { toSignal } from './list';
import { getCallersRelyingParty } from '@/lib/server/http';

/** How long a sign-in waits for it, in milliseconds. */
const TIMEOUT_MS = 1_000;

/**
 * All passkeys of a user who has just signed in by another method, for the browser's password managers.
 * @returns null for an account that never had one, for a page of another origin, and while the database is away
 */
export async function readSignal(
  req: Pick<IncomingMessage, 'headers'>,
  user: SessionUser | null,
): Promise<PasskeySignal | null> {
  const rp = getCallersRelyingParty(req);
  if (rp === null || user === null) return null;
  const stored = await nullOnProblem(withRecords((records) => listPasskeys(records, user.uid), TIMEOUT_MS));
  return stored && toSignal(rp, user, stored);
}
