import { and, eq, isNull, sql } from 'drizzle-orm';
import type { Language } from '@/lib/shared/i18n/languages';
import { accounts } from './schema';
import type { Records, Tx } from './engines';

/** The language of a sign-in. `isChosen`: by the learner, and not by the settings of the browser. */
export type SignInLanguage = { language: Language; isChosen: boolean };

/**
 * Stores the language that a browser of an account has chosen, or reads that of the account for one that has chosen none.
 * @returns that of the account; null when it is not known
 */
export function syncAccountLanguage(records: Records, uid: string, chosen: Language | null): Promise<string | null> {
  return records.transact(async (tx) => {
    if (chosen !== null) {
      await storeLanguage(tx, uid, chosen);
      return chosen;
    }
    return readLanguage(tx, uid);
  });
}

/** Its emails that no request causes are in it. @returns null when it is not known */
export async function readLanguage(tx: Tx, uid: string): Promise<string | null> {
  const [account] = await tx.select({ language: accounts.language }).from(accounts).where(eq(accounts.uid, uid));
  return account?.language ?? null;
}

/**
 * Stores the language of a sign-in.
 * @param isNewBrowser in which the account was never used: it changes nothing that is known, so that an intruder's sign-in is announced in
 *   the owner's language
 */
export async function storeSignInLanguage(
  tx: Tx,
  uid: string,
  { language, isChosen }: SignInLanguage,
  isNewBrowser: boolean,
): Promise<void> {
  if (isChosen && !isNewBrowser) return storeLanguage(tx, uid, language);
  await tx
    .update(accounts)
    .set({ language })
    .where(and(eq(accounts.uid, uid), isNull(accounts.language)));
}

async function storeLanguage(tx: Tx, uid: string, language: Language): Promise<void> {
  const isOther = sql`${accounts.language} is distinct from ${language}`;
  await tx
    .update(accounts)
    .set({ language })
    .where(and(eq(accounts.uid, uid), isOther));
}
