import type { UserRecord } from 'firebase-admin/auth';
import { cleanEmail } from '@/lib/shared/account/clean-email';
import { getIdentityAdmin, nullOnCode } from '@/lib/server/identity';
import { UsageError } from './types';

/** The identity provider's limit, in characters. */
const MAX_ID_LENGTH = 128;

/**
 * The account that a command names, as it is, even when its email is one that was not proved: to look at it changes nothing.
 * @param name its email, or its id
 * @throws Error when they are two accounts; UsageError
 */
export async function findUser(name: string): Promise<UserRecord | null> {
  const auth = getIdentityAdmin();
  const isEmail = name.includes('@');
  const isId = name.length <= MAX_ID_LENGTH;
  if (!isEmail && !isId) throw new UsageError(`An id has at most ${String(MAX_ID_LENGTH)} characters.`);
  const byId = isId ? await nullOnCode(auth.getUser(name), 'getUser', 'auth/user-not-found') : null;
  if (!isEmail) return byId;
  const request = auth.getUserByEmail(cleanEmail(name));
  const byEmail = await nullOnCode(request, 'getUserByEmail', 'auth/user-not-found', 'auth/invalid-email');
  if (byId && byEmail && byId.uid !== byEmail.uid)
    throw new Error(
      `This is the email of account ${byEmail.uid}, and the id of another one: name the first by its id.`,
    );
  return byEmail ?? byId;
}
