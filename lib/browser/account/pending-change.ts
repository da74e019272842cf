import type { MethodChange } from '@/lib/shared/account/security';
import { isSocialProvider } from '@/lib/shared/providers';
import { storage } from '@/lib/browser/storage';

/** A change that the user began, stored in this tab while they sign in again. */
type PendingChange = { uid: string; change: MethodChange; at: number };

const KEY = 'pending-method-change';
const TTL_MS = 15 * 60_000;

/** @param uid of the user who began it */
export function keepPendingChange(uid: string, change: MethodChange): void {
  const pending: PendingChange = { uid, change, at: Date.now() };
  storage('sessionStorage').setItem(KEY, JSON.stringify(pending));
}

/** Removes and returns the pending change; null when there is none, it has expired, or another user began it. */
export function takePendingChange(uid: string): MethodChange | null {
  const stored = storage('sessionStorage').getItem(KEY);
  storage('sessionStorage').removeItem(KEY);
  try {
    const pending = JSON.parse(stored ?? 'null') as PendingChange | null;
    if (pending?.uid !== uid || Date.now() - pending.at > TTL_MS) return null;
    const { kind, id } = pending.change;
    if (kind === 'unlink') return { kind, id };
    return isSocialProvider(id) ? { kind, id } : null;
  } catch {
    return null;
  }
}
