import { storage } from '@/lib/browser/storage';
import type { LoginMode } from '../sign-in/events';

/** A redirect to a provider that is expected to return in this tab. */
export type PendingRedirect = { provider: string; mode: LoginMode };

const KEY = 'pending-redirect';
/** How long the user can take at the provider, in milliseconds; a later page load in this tab is a new visit. */
const LONGEST = 15 * 60_000;
const MODES: readonly string[] = ['signIn', 'signUp', 'update', 'link'] satisfies LoginMode[];

export function rememberRedirect(redirect: PendingRedirect): void {
  storage('sessionStorage').setItem(KEY, JSON.stringify({ ...redirect, leftAt: Date.now() }));
}

/** The redirect that this tab has returned from, if any; stored until `forgetRedirect`. */
export function getPendingRedirect(): PendingRedirect | null {
  try {
    const kept: unknown = JSON.parse(storage('sessionStorage').getItem(KEY) ?? 'null');
    return isPendingRedirect(kept) ? kept : null;
  } catch {
    return null;
  }
}

export function forgetRedirect(): void {
  storage('sessionStorage').removeItem(KEY);
}

function isPendingRedirect(value: unknown): value is PendingRedirect {
  if (typeof value !== 'object' || value === null) return false;
  const { provider, mode, leftAt } = value as Record<string, unknown>;
  const isRecent = typeof leftAt === 'number' && Math.abs(Date.now() - leftAt) < LONGEST;
  return isRecent && typeof provider === 'string' && MODES.includes(String(mode));
}
