import { changeRememberedAccount } from '../auth/sign-in/remembered-accounts';
import { changeSessionUser } from '../session/state';

/** Makes this browser follow a change of the account's name: its top bar, its other tabs, and its list on /sign-in. */
export function followNameChange(email: string | null, name: string): void {
  if (email !== null) changeRememberedAccount(email, { name });
  changeSessionUser({ displayName: name });
}
