import { eq } from 'drizzle-orm';
import { accounts } from './schema';
import type { Tx } from './engines';

/** Reads the language of an account, for emails that no request causes. @returns null if unknown */
export async function readLanguage(tx: Tx, uid: string): Promise<string | null> {
  const [account] = await tx.select({ language: accounts.language }).from(accounts).where(eq(accounts.uid, uid));
  return account?.language ?? null;
}
