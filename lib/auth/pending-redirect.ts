import { storage } from '@/lib/storage';
import type { LoginMode } from './events';

/** A redirect that has left for a provider and is expected back in this tab. */
export type PendingRedirect = { provider: string; mode: LoginMode };

const KEY = 'pending-redirect';
/** How long somebody may take at the provider, in milliseconds; later, a page of this tab is a visit of its own. */
const LONGEST = 15 * 60_000;
const MODES: readonly string[] = ['signIn', 'signUp', 'update', 'link'] satisfies LoginMode[];

export function rememberRedirect(redirect: PendingRedirect): void {
  storage('sessionStorage').setItem(KEY, JSON.stringify({ ...redirect, leftAt: Date.now() }));
}

/** The redirect this tab is back from, if any; it stays until `forgetRedirect`. */
export function pendingRedirect(): PendingRedirect | null {
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
