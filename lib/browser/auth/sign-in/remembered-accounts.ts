import { storage } from '@/lib/browser/storage';
import type { SignedInUser } from './events';
import { ACCOUNTS_KEY, isSharedComputer } from './this-device';

/** An account that has signed in with this browser, and how it did last. */
export type RememberedAccount = { uid: string; email: string; name: string; method: string };

/** A household's; the one that has not been used for longest is forgotten first. */
const MAX_ACCOUNTS = 5;

/**
 * Stores the account for the list on /sign-in; not on a shared computer. In this origin's storage, not in a cookie: neither the
 * platform's servers nor another host of the main domain can read or write it (docs/adr/0036).
 */
export function rememberAccount({ uid, email, displayName }: SignedInUser, method: string): void {
  if (isSharedComputer() || email === null) return;
  const others = read().filter((account) => account.uid !== uid && account.email !== email);
  write([{ uid, email, name: displayName ?? '', method }, ...others].slice(0, MAX_ACCOUNTS));
}

/** How the account signs in from now on, if this browser remembers it: it was given a passkey on this device, or lost its last one. */
export function changeRememberedMethod(email: string, method: string): void {
  write(read().map((account) => (account.email === email ? { ...account, method } : account)));
}

/** The accounts of this browser, the one used last first; none on a shared computer. */
export function getRememberedAccounts(): RememberedAccount[] {
  return isSharedComputer() ? [] : read();
}

/** @returns the accounts that are left */
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
