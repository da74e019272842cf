import { isSharedComputer } from '../auth/sign-in/shared-computer';
import { storage } from '../storage';
import { canCreateHere } from './means';

const KEY = 'passkey-offered';

/**
 * Takes the one offer of a passkey on this device: one that can keep it, verify its user, and remember the offer. Never on a shared
 * computer. Whatever the answer is, it is not offered again: /security has it at any time. The account is not stored.
 */
export async function takeOffer(): Promise<boolean> {
  const store = storage('localStorage');
  if (store.getItem(KEY) !== null || isSharedComputer() || !(await canCreateHere())) return false;
  store.setItem(KEY, '1');
  return store.getItem(KEY) !== null;
}
