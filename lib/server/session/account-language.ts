import { and, eq, isNotNull, isNull, min } from 'drizzle-orm';
import type { Language } from '@/lib/shared/i18n/languages';
import { choosesForOwner } from '@/lib/server/policy';
import { accounts, devices, readLanguage, type Records, type Tx } from '@/lib/server/storage';

/** The language of a sign-in. `isChosen`: the learner chose it, and not the browser's settings. */
export type SignInLanguage = { language: Language; isChosen: boolean };

/** `deviceDigest`: digest of the browser's secret. Null without a secret. */
type Browser = { uid: string; deviceDigest: string | null };

/**
 * Stores the language that an account's browser has chosen. If it has chosen none, reads the account's language.
 * @returns the language of the page, or null if unknown
 */
export function syncAccountLanguage(
  records: Records,
  browser: Browser,
  chosen: Language | null,
): Promise<string | null> {
  return records.transact(async (tx) => {
    if (chosen === null) return readLanguage(tx, browser.uid);
    await storeChosen(tx, browser, chosen);
    return chosen;
  });
}

/** Stores the language of a sign-in. Only an explicit choice changes a known language. */
export async function storeSignInLanguage(
  tx: Tx,
  browser: Browser,
  { language, isChosen }: SignInLanguage,
): Promise<void> {
  if (isChosen) await storeChosen(tx, browser, language);
  await tx
    .update(accounts)
    .set({ language })
    .where(and(eq(accounts.uid, browser.uid), isNull(accounts.language)));
}

async function storeChosen(tx: Tx, browser: Browser, language: Language): Promise<void> {
  if ((await readLanguage(tx, browser.uid)) === language) return;
  if (!choosesForOwner(await findBrowser(tx, browser), new Date())) return;
  await tx.update(accounts).set({ language }).where(eq(accounts.uid, browser.uid));
}

async function findBrowser(tx: Tx, { uid, deviceDigest }: Browser) {
  if (deviceDigest === null) return null;
  const ofAccount = eq(devices.uid, uid);
  // Bounded: a single row, by `devices_of_account`.
  const [own] = await tx
    .select({ firstSeenAt: devices.firstSeenAt })
    .from(devices)
    .where(and(ofAccount, eq(devices.cookieDigest, deviceDigest)));
  if (!own) return null;
  // Exclude disavowed browsers.
  const [first] = await tx
    .select({ at: min(devices.firstSeenAt) })
    .from(devices)
    .where(and(ofAccount, isNotNull(devices.cookieDigest)));
  return { ...own, isFirst: first?.at?.getTime() === own.firstSeenAt.getTime() };
}
