import { EMAIL_METHOD } from '@/lib/shared/account/own-methods';
import { isApiProblem } from '@/lib/shared/problem';
import {
  addNotice,
  type EmailContext,
  type NoticeBrand,
  type SecondFactorNotice,
  toNoticeBrand,
} from '@/lib/server/notifications';
import { findUnfinished, type PendingSignIn, type Records, reportUnfinished, type Tx } from '@/lib/server/storage';

type Addressee = { uid: string; to: string; at: Date; brand: EmailContext | NoticeBrand };

/** Writes the email about a change of the second factor, in the transaction of the change. @param to the account's email */
export function notifyOfSecondFactor(kind: SecondFactorNotice, { uid, to, at, brand }: Addressee) {
  return (tx: Tx): Promise<void> => {
    const body = { channel: 'email', to, email: { kind }, brand: toNoticeBrand(brand) } as const;
    return addNotice(tx, { uid, key: at.toISOString(), body });
  };
}

/** Sign-ins that one email lists. */
const MAX_LISTED = 5;

/**
 * Tells owners of sign-ins to their accounts whose second factor was not shown within 5 minutes: another user may know the
 * password. At most one email an hour for each account, about all of them since.
 * @throws RecordsError
 */
export async function reportUnfinishedSignIns(records: Records, now = new Date()): Promise<void> {
  const busy: string[] = [];
  for (;;) {
    const uid = await findUnfinished(records, now, busy);
    if (uid === null) return;
    try {
      await reportUnfinished(records, uid, now, announce);
    } catch (error) {
      // Too many writes of this account wait: the others do not wait for it.
      if (!isApiProblem(error)) throw error;
      busy.push(uid);
    }
  }
}

/** Not of those that a proof of the mailbox began: who reads it would read this email. */
async function announce(tx: Tx, unfinished: readonly PendingSignIn[]): Promise<void> {
  const told = unfinished.filter(({ method, email }) => method !== EMAIL_METHOD && email !== null);
  const last = told.at(-1);
  if (!last?.email) return;
  const email = {
    kind: 'sign-in-unfinished',
    isPassword: told.every(({ provider }) => provider === 'password'),
    total: told.length,
    attempts: told
      .slice(-MAX_LISTED)
      .map(({ since, createdAt, browser, system }) => ({ at: (since ?? createdAt).toISOString(), browser, system })),
  } as const;
  const body = { channel: 'email', to: last.email, email, brand: last.brand as NoticeBrand } as const;
  await addNotice(tx, { uid: last.uid, key: last.digest, body });
}
