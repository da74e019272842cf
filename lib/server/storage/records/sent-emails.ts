import { createHmac, randomUUID } from 'node:crypto';
import { and, desc, eq, gt, inArray, or, sql } from 'drizzle-orm';
import { countSuppressed, deriveKeys, env, log } from '@/lib/server/runtime';
import { getRecords } from '.';
import type { Records, Tx } from './engines';
import { sentEmails } from './schema';

/** How long the record of an email is kept, in days. retention.ts deletes older ones. */
export const SENT_EMAIL_DAYS = 30;
/** Maximum number of emails that a lookup returns, the newest first. */
const MAX_LISTED = 200;

/** The answers of the mail server: it took the email, refused the mailbox, or failed otherwise. */
export type EmailResult = 'sent' | 'refused' | 'failed' | 'unanswered';

/** An attempt to hand an email to the mail server. */
type Attempt = {
  /** The id in the `Message-ID`. Repeated attempts have the same id. */
  messageId: string;
  to: string;
  /** The account that the email is about, if the caller knows it. */
  uid: string | null;
  kind: string;
  result: EmailResult;
  /** The answer of the mail server, or the code of the failure. It can contain addresses. */
  answer: string;
};

/** An attempt as support and the owner see it. */
export type ListedEmail = {
  messageId: string;
  kind: string;
  at: string;
  result: string;
  answer: string;
};

/** Digests an address with every current secret. The first digest is stored. Guessing the address needs the key. */
export function digestAddress(address: string): string[] {
  return deriveKeys(env().TOKEN_ENCRYPTION_SECRET, 'records/sent-email').map((key) =>
    createHmac('sha256', key).update(address.toLowerCase()).digest('base64url'),
  );
}

const MAX_ANSWER_LENGTH = 200;

/** Returns the answer without addresses, links and control characters. */
export function cleanAnswer(answer: string): string {
  return answer
    .replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ')
    .replaceAll(/[^\s<>()[\]]*@[^\s<>()[\]]*/gu, '[address]')
    .replaceAll(/\bhttps?:\/\/\S+/giu, '[link]')
    .replaceAll(/\b(?:\d{1,3}\.){3}\d{1,3}\b|\b(?:[\da-f]{0,4}:){3,7}[\da-f]{0,4}\b/giu, '[network address]')
    .trim()
    .slice(0, MAX_ANSWER_LENGTH);
}

/**
 * Records an attempt to send an email, as best effort. A lost record neither delays nor repeats an email. If another
 * deployment has the accounts, it does nothing.
 */
export async function recordSentEmail({ to, answer, ...attempt }: Attempt): Promise<void> {
  if (env().SESSION_BACKEND !== 'firebase') return;
  const [addressDigest = ''] = digestAddress(to);
  const row = { ...attempt, id: randomUUID(), addressDigest, answer: cleanAnswer(answer), at: sql`now()` };
  try {
    const records = await getRecords();
    await records.query((tx) => tx.insert(sentEmails).values(row));
  } catch (err) {
    const suppressed = countSuppressed('sent emails', 'database');
    if (suppressed !== null) log().warn({ err, suppressed }, 'sent emails could not be recorded');
  }
}

/** An account, and the addresses that it has or had. Emails at an address are found without the account. */
export type EmailSubject = { uid: string; addresses: readonly string[] };

/** Condition of `sentEmails`: about the account, or to one of its addresses. */
export function concernsSubject({ uid, addresses }: { uid: string | null; addresses: readonly string[] }) {
  const digests = addresses.flatMap(digestAddress);
  const isAboutAccount = uid === null ? sql`false` : eq(sentEmails.uid, uid);
  return or(isAboutAccount, digests.length === 0 ? undefined : inArray(sentEmails.addressDigest, digests));
}

/** Lists the emails of the last 30 days about an account, if one is given, or to its addresses, newest first. */
export function listSentEmails(
  records: Records,
  subject: { uid: string | null; addresses: readonly string[] },
): Promise<ListedEmail[]> {
  return records.query(async (tx) => {
    const isRecent = gt(sentEmails.at, sql`now() - make_interval(days => ${SENT_EMAIL_DAYS})`);
    const { messageId, kind, at, result, answer } = sentEmails;
    const found = await tx
      .select({ messageId, kind, at, result, answer })
      .from(sentEmails)
      .where(and(concernsSubject(subject), isRecent))
      .orderBy(desc(at))
      .limit(MAX_LISTED);
    return found.map((row) => ({ ...row, at: row.at.toISOString() }));
  });
}

/** Deletes an account's records of emails. The email that announces the deletion is sent and recorded later. */
export async function deleteSentEmails(tx: Tx, subject: EmailSubject): Promise<void> {
  await tx.delete(sentEmails).where(concernsSubject(subject));
}
