import { storage } from '@/lib/browser/storage';

const KEY = 'carried-email';

/** The email address entered on one page, prefilled on the next; stored in this tab only and never in a URL. */
export function getCarriedEmail(): string {
  return storage('sessionStorage').getItem(KEY) ?? '';
}

export function carryEmail(email: string): void {
  storage('sessionStorage').setItem(KEY, email);
}
