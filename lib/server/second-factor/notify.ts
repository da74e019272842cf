import {
  type EmailContext,
  type SecondFactorNotice,
  addNotice,
  toNoticeBrand,
  type NoticeBrand,
} from '@/lib/server/notifications';
import type { Tx } from '@/lib/server/storage';

type Addressee = { uid: string; to: string; at: Date; brand: EmailContext | NoticeBrand };

/** Writes the email about a change of the second factor, in the transaction of the change. @param to the account's email */
export function notifyOfSecondFactor(kind: SecondFactorNotice, { uid, to, at, brand }: Addressee) {
  return (tx: Tx): Promise<void> => {
    const body = { channel: 'email', to, email: { kind }, brand: toNoticeBrand(brand) } as const;
    return addNotice(tx, { uid, key: at.toISOString(), body });
  };
}
