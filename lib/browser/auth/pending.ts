import { storage } from '@/lib/browser/storage';
import type { LoginMode } from './sign-in/events';

const tabStorage = storage('sessionStorage');

/** A redirect to a provider that is expected to return in this tab. */
type PendingRedirect = { provider: string; mode: LoginMode };

const KEY = 'pending-redirect';
/** Time limit at the provider, in milliseconds. A later page load in this tab is a new visit. */
const LONGEST = 15 * 60_000;
const MODES: readonly string[] = ['signIn', 'signUp', 'update', 'link'] satisfies LoginMode[];

export function rememberRedirect(redirect: PendingRedirect): void {
  tabStorage.setItem(KEY, JSON.stringify({ ...redirect, leftAt: Date.now() }));
}

/** Returns the redirect that this tab has returned from, or null. It is stored until `forgetRedirect`. */
export function getPendingRedirect(): PendingRedirect | null {
  const kept = tabStorage.getJson(KEY);
  return isPendingRedirect(kept) ? kept : null;
}

export function forgetRedirect(): void {
  tabStorage.removeItem(KEY);
}

function isPendingRedirect(value: unknown): value is PendingRedirect {
  if (typeof value !== 'object' || value === null) return false;
  const { provider, mode, leftAt } = value as Record<string, unknown>;
  const isRecent = typeof leftAt === 'number' && Math.abs(Date.now() - leftAt) < LONGEST;
  return isRecent && typeof provider === 'string' && MODES.includes(String(mode));
}

/**
 * A provider's credential that waits in this tab until the user has proved ownership of the existing account, too. It is
 * removed with the flow, so that it is never linked to another account later.
 */
export type PendingLink = {
  email: string;
  /** Our id of the provider that issued it. */
  provider: string;
  /** Serialized by the SDK. */
  credential: object;
  /** The account's sign-in methods from the identity provider. Empty if it does not disclose them. */
  methods: string[];
  /** When it was stored, milliseconds since 1970. */
  at: number;
};

const LINK_KEY = 'pending-link';
const PENDING_LINK_TTL_MS = 15 * 60_000;

export function keepPendingLink(link: Omit<PendingLink, 'at'>): void {
  tabStorage.setItem(LINK_KEY, JSON.stringify({ ...link, at: Date.now() }));
}

/** Returns the pending link of this tab, or null if there is none or it has expired. */
export function getPendingLink(): PendingLink | null {
  const kept = tabStorage.getJson(LINK_KEY);
  return isPendingLink(kept) && Date.now() - kept.at < PENDING_LINK_TTL_MS ? kept : null;
}

export function forgetPendingLink(): void {
  tabStorage.removeItem(LINK_KEY);
}

function isPendingLink(value: unknown): value is PendingLink {
  if (typeof value !== 'object' || value === null) return false;
  const { email, provider, credential, methods, at } = value as Partial<Record<keyof PendingLink, unknown>>;
  const hasTexts = typeof email === 'string' && typeof provider === 'string' && typeof at === 'number';
  return hasTexts && typeof credential === 'object' && credential !== null && Array.isArray(methods);
}

const MARKER = 'provider-signed-in';
const KNOWN = '1';
const UNSURE = '0';

/** Records that the session's user is signed in at the identity provider in this browser, or is about to be. */
export function rememberProvider(): void {
  storage('localStorage').setItem(MARKER, KNOWN);
}

/**
 * Records that a sign-in at the identity provider begins. If the page is closed before the session opens, the provider
 * has a user whom no session knows.
 */
export function expectProvider(): void {
  if (!isProviderRemembered()) storage('localStorage').setItem(MARKER, UNSURE);
}

/** Records that the session has been opened without the identity provider's SDK, which may still have another user. */
export function doubtProvider(): void {
  if (mayHaveProviderUser()) storage('localStorage').setItem(MARKER, UNSURE);
}

/** Whether a user is still signed in at the identity provider, e.g. after a sign-out on the platform. */
export function isProviderRemembered(): boolean {
  return storage('localStorage').getItem(MARKER) === KNOWN;
}

/** Whether the identity provider may have a user in this browser, even one whose sign-in was not completed. */
export function mayHaveProviderUser(): boolean {
  return storage('localStorage').getItem(MARKER) !== null;
}

export function forgetProvider(): void {
  storage('localStorage').removeItem(MARKER);
}
