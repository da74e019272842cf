import { PasskeyInstead } from './passkey-instead';
import { usePasskeysOffered } from './use-passkeys-offered';

/** The same where a passkey can sign in, for a page that does not ask for it itself. */
export function OfferedPasskey() {
  return usePasskeysOffered() ? <PasskeyInstead /> : null;
}
