import { storage } from '@/lib/browser/storage';
import type { SignedInUser } from './events';
import { ACCOUNTS_KEY, isSharedComputer } from './this-device';

/** An account that has signed in with this browser, and the method of its last sign-in. */
export type RememberedAccount = { uid: string; email: string; name: string; method: string };

/** Enough for a household. The least recently used account is forgotten first. */
const MAX_ACCOUNTS = 5;

/**
 * Stores the account for the list on /sign-in, but not on a shared computer. It is in this origin's storage and not in
 * a cookie. So neither the platform's servers nor another host of the main domain can read or write it (docs/adr/0036).
 */
export function rememberAccount({ uid, email, displayName }: SignedInUser, method: string): void {
  if (isSharedComputer() || email === null) return;
  const others = read().filter((account) => account.uid !== uid && account.email !== email);
  write([{ uid, email, name: displayName ?? '', method }, ...others].slice(0, MAX_ACCOUNTS));
}

/** Changes what is stored of an account, if this browser remembers it. @param email the stored one */
export function changeRememberedAccount(email: string, changes: Partial<RememberedAccount>): void {
  write(read().map((account) => (account.email === email ? { ...account, ...changes } : account)));
}

/** Returns the accounts of this browser, most recently used first. Returns none on a shared computer. */
export function getRememberedAccounts(): RememberedAccount[] {
  return isSharedComputer() ? [] : read();
}

/** @returns the remaining accounts */
export function forgetAccount(uid: string): RememberedAccount[] {
  const left = read().filter((account) => account.uid !== uid);
  write(left);
  return left;
}

function write(accounts: RememberedAccount[]): void {
  if (accounts.length === 0) storage('localStorage').removeItem(ACCOUNTS_KEY);
  else storage('localStorage').setItem(ACCOUNTS_KEY, JSON.stringify(accounts));
}

function read(): RememberedAccount[] {
  const kept = storage('localStorage').getJson(ACCOUNTS_KEY);
  return Array.isArray(kept) ? kept.filter(isAccount) : [];
}

function isAccount(value: unknown): value is RememberedAccount {
  const { uid, email, name, method } = Object(value) as Record<string, unknown>;
  return [uid, email, name, method].every((part) => typeof part === 'string');
}
