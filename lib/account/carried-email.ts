import { storage } from '@/lib/storage';

const KEY = 'carried-email';

/** The e-mail typed on one screen, for the next one; in this tab only and never in an address. */
export function carriedEmail(): string {
  return storage('sessionStorage').getItem(KEY) ?? '';
}

export function carryEmail(email: string): void {
  storage('sessionStorage').setItem(KEY, email);
}
