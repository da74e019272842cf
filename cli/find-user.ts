import type { UserRecord } from 'firebase-admin/auth';
import { cleanEmail } from '@/lib/shared/account/clean-email';
import { getIdentityAdmin, nullOnCode } from '@/lib/server/identity';
import { getProvedEmail } from '@/lib/server/policy';
import { listProvedBy } from '@/lib/server/storage';
import { UsageError } from './types';

/** The identity provider's limit, in characters. */
const MAX_ID_LENGTH = 128;

/**
 * Finds the account that a command names, without changing it, even if its email is not the proved email. An email
 * finds the account that has proved it, even while that account has another email.
 * @param name its email or its id
 * @throws Error if two accounts match, or another account has the email now; UsageError
 */
export async function findUser(name: string): Promise<UserRecord | null> {
  const auth = getIdentityAdmin();
  const isEmail = name.includes('@');
  const isId = name.length <= MAX_ID_LENGTH;
  if (!isEmail && !isId) throw new UsageError(`An id has at most ${String(MAX_ID_LENGTH)} characters.`);
  const byId = isId ? await nullOnCode(auth.getUser(name), 'getUser', 'auth/user-not-found') : null;
  if (!isEmail) return byId;
  const email = cleanEmail(name);
  const request = auth.getUserByEmail(email);
  const holder = await nullOnCode(request, 'getUserByEmail', 'auth/user-not-found', 'auth/invalid-email');
  const owner = holder && getProvedEmail(holder) === email ? holder : ((await findLocked({ email }))[0] ?? null);
  if (holder && owner && holder.uid !== owner.uid)
    throw new Error(
      `Account ${owner.uid} has proved this email and was moved away from it; account ${holder.uid} has it now. Name one by its id. A request at this email, such as for a sign-in link, gives it back to the first.`,
    );
  const byEmail = owner ?? holder;
  if (byId && byEmail && byId.uid !== byEmail.uid)
    throw new Error(
      `This is the email of account ${byEmail.uid}, and the id of another one: name the first by its id.`,
    );
  return byEmail ?? byId;
}

/** Finds other accounts that have proved an account's email, which they get back when that account is deleted. */
export async function findLocked({
  email = '',
  uid,
}: {
  email?: string | undefined;
  uid?: string;
}): Promise<UserRecord[]> {
  const others = (await listProvedBy(email)).filter((other) => other !== uid);
  const users = await Promise.all(
    others.map((other) => nullOnCode(getIdentityAdmin().getUser(other), 'getUser', 'auth/user-not-found')),
  );
  return users.flatMap((user) => (user && getProvedEmail(user) === email.toLowerCase() ? [user] : []));
}
