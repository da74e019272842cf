import { storage } from '@/lib/browser/storage';

/**
 * A credential of an account with another sign-in method, stored in this tab until the user has proved ownership of
 * that account too. It is removed with the flow, so that it is never linked to another account later.
 */
export type PendingLink = {
  email: string;
  /** The provider that issued it, by our id. */
  provider: string;
  /** Serialized by the SDK. */
  credential: object;
  /** The account's sign-in methods as reported by the identity provider; empty if it does not disclose them. */
  methods: string[];
  /** When it was stored, milliseconds since 1970. */
  at: number;
};

const KEY = 'pending-link';
const PENDING_LINK_TTL_MS = 15 * 60_000;

export function keepPendingLink(link: Omit<PendingLink, 'at'>): void {
  storage('sessionStorage').setItem(KEY, JSON.stringify({ ...link, at: Date.now() }));
}

/** The pending link of this tab; null when there is none or it has expired. */
export function getPendingLink(): PendingLink | null {
  try {
    const kept: unknown = JSON.parse(storage('sessionStorage').getItem(KEY) ?? 'null');
    return isPendingLink(kept) && Date.now() - kept.at < PENDING_LINK_TTL_MS ? kept : null;
  } catch {
    return null;
  }
}

export function forgetPendingLink(): void {
  storage('sessionStorage').removeItem(KEY);
}

function isPendingLink(value: unknown): value is PendingLink {
  if (typeof value !== 'object' || value === null) return false;
  const { email, provider, credential, methods, at } = value as Partial<Record<keyof PendingLink, unknown>>;
  const hasTexts = typeof email === 'string' && typeof provider === 'string' && typeof at === 'number';
  return hasTexts && typeof credential === 'object' && credential !== null && Array.isArray(methods);
}
