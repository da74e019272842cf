import type { EmailContext } from '@/lib/server/notifications/email';
import type { ClientDescription } from '@/lib/server/runtime/client-description';
import { addNotice, countRecentNotices } from '@/lib/server/notifications/outbox/outbox';
import { toNoticeBrand } from '@/lib/server/notifications/outbox/types';
import type { Tx } from '@/lib/server/storage/records/types';

export type Announcement = {
  uid: string;
  email: string;
  at: Date;
  client: ClientDescription;
  emailContext: EmailContext;
};

/** In an hour, for each account: who signs in more often than that must not fill its mailbox. */
const MAX_IN_AN_HOUR = 5;

/**
 * Writes the email about a sign-in on a browser that the account has not been used on, in the transaction that records the
 * session (docs/adr/0029). After five in an hour it writes none.
 * @param session its id in the records
 */
export async function notifyOfSignIn(
  tx: Tx,
  session: string,
  { uid, email: to, at, client: { browser, system }, emailContext }: Announcement,
): Promise<void> {
  const email = { kind: 'new-sign-in', uid, session, at: at.toISOString(), browser, system } as const;
  if ((await countRecentNotices(tx, uid, email.kind)) >= MAX_IN_AN_HOUR) return;
  await addNotice(tx, { uid, key: session, body: { channel: 'email', to, email, brand: toNoticeBrand(emailContext) } });
}
