import { storage } from '@/lib/storage';

/**
 * A credential that belongs to an account with another sign-in method, kept in this tab until the person has proved that
 * the account is theirs as well. It ends with the flow, so that it never links to somebody else later.
 */
export type PendingLink = {
  email: string;
  /** The provider it is from, by our id. */
  provider: string;
  /** The SDK's own serialisation. */
  credential: object;
  /** Ways into the account that the identity provider tells; none where it keeps them to itself. */
  methods: string[];
  /** When it was kept, milliseconds since 1970. */
  at: number;
};

const KEY = 'pending-link';
const LIFETIME = 15 * 60_000;

export function keepPendingLink(link: Omit<PendingLink, 'at'>): void {
  storage('sessionStorage').setItem(KEY, JSON.stringify({ ...link, at: Date.now() }));
}

/** The link this tab is in the middle of; null when there is none or it has become too old. */
export function pendingLink(): PendingLink | null {
  try {
    const kept: unknown = JSON.parse(storage('sessionStorage').getItem(KEY) ?? 'null');
    return isPendingLink(kept) && Date.now() - kept.at < LIFETIME ? kept : null;
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
