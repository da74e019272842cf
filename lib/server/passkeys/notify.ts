import { type EmailContext, addNotice, toNoticeBrand } from '@/lib/server/notifications';
import type { StoredPasskey, Tx } from '@/lib/server/storage';
import { getAuthenticatorName } from './list';

export const PASSKEY_NOTICES = ['passkey-added', 'passkey-removed', 'passkey-suspect'] as const;
export type PasskeyNotice = (typeof PASSKEY_NOTICES)[number];

/**
 * Writes the email about a passkey, in the transaction of the change. Without its name: a third party may have entered it.
 * @param to the account's email
 */
export function notifyOfPasskey(kind: PasskeyNotice, to: string, emailContext: EmailContext) {
  return (tx: Tx, passkey: StoredPasskey): Promise<void> => {
    const email = {
      kind,
      provider: getAuthenticatorName(passkey.aaguid),
      isAutomatic: passkey.source === 'upgrade',
    } as const;
    const body = { channel: 'email', to, email, brand: toNoticeBrand(emailContext) } as const;
    return addNotice(tx, { uid: passkey.uid, key: passkey.id, body });
  };
}
