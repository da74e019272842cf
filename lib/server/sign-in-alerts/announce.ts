import type { EmailContext } from '../email';
import type { ClientDescription } from '../http/client-description';
import { addNotice } from '../notices/outbox';
import { toNoticeBrand } from '../notices/types';
import type { Tx } from '../records/types';

export type Announcement = { uid: string; email: string; at: Date; client: ClientDescription; brand: EmailContext };

/**
 * Writes the email about a sign-in on a browser that the account has not been used on, in the transaction that records the
 * session (docs/adr/0029).
 * @param session its id in the records
 */
export function announceSignIn(
  tx: Tx,
  session: string,
  { uid, email: to, at, client: { browser, system }, brand }: Announcement,
): Promise<void> {
  const email = { kind: 'new-sign-in', uid, session, at: at.toISOString(), browser, system } as const;
  return addNotice(tx, { uid, key: session, body: { channel: 'email', to, email, brand: toNoticeBrand(brand) } });
}
