import { paths } from '../paths';
import type { SocialProviderId } from '../sign-in-methods';

// Not in paths.ts, which every page loads.

/** Query parameter: which part of /security is opened. */
export const PART_QUERY = 'part';

/** Parts of /security, in their order on the page: each has an address of its own. */
export const SECURITY_PARTS = ['sign-in', 'two-step-verification', 'devices', 'your-data'] as const;
export type SecurityPart = (typeof SECURITY_PARTS)[number];

export function pathToPart(part: SecurityPart): string {
  return `${paths.security}?${PART_QUERY}=${part}`;
}

/** Where an account is deleted: app stores require a link to it. */
export const deletionPage = pathToPart('your-data');

/** A change of the account's sign-in methods; `unlink` by the identity provider's id. */
export type MethodChange = { kind: 'link'; id: SocialProviderId } | { kind: 'unlink'; id: string };

/** A sign-in method: its id at the identity provider, and the email it has for the user. */
export type LinkedMethod = {
  id: string;
  email: string | null;
  /** False for a method that the account still has, but that cannot sign in, such as of a disabled partner. */
  usable: boolean;
};

/** Account data shown on /security. */
export type AccountSecurity = {
  uid: string;
  name: string | null;
  email: string | null;
  emailVerified: boolean;
  methods: LinkedMethod[];
  /** What can be connected: the social providers of the origin, or all while they are not known, without those that are. */
  connectable: readonly SocialProviderId[];
  /** How many passkeys sign in. */
  passkeys: number;
  /** Whether every sign-in but one with a passkey takes a code. */
  hasSecondFactor: boolean;
  /** Time of the last sign-in (RFC 3339); the calendar day depends on the reader's time zone. */
  lastSignIn: string | null;
};

/** What the owner can sign in with. `passkeys`: how many of them sign in. */
export type WaysToSignIn = { methods: readonly LinkedMethod[]; passkeys: number };

/** One passkey alone is lost with its device. */
const PASSKEYS_IN_PLACE_OF_METHODS = 2;

/** Whether a method can be removed: the owner can still sign in (docs/account-policy.md#removing-a-method). */
export function canRemoveMethod({ methods, passkeys }: WaysToSignIn, id: string): boolean {
  return methods.some((method) => method.id !== id && method.usable) || passkeys >= PASSKEYS_IN_PLACE_OF_METHODS;
}

/** The same for a passkey. @param ways `passkeys`: without the one that is removed */
export function canRemovePasskey({ methods, passkeys }: WaysToSignIn): boolean {
  return methods.some(({ usable }) => usable) || passkeys > 0;
}

/**
 * Whether a method can be linked: the origin lets its owner sign in with it. Or unlinked: it is linked, and not the last one with which the
 * owner can sign in.
 * @param id ours, to link
 */
export function canChangeMethod(account: AccountSecurity, { kind, id }: MethodChange): boolean {
  if (kind === 'link') return account.connectable.includes(id);
  return account.methods.some((method) => method.id === id) && canRemoveMethod(account, id);
}

/**
 * The scheduled deletion of the signed-in user's account, RFC 3339; `effectiveAt` is null without one. `unavailable`: the
 * database cannot be asked. Null: this deployment keeps no records, and offers neither download nor deletion.
 */
export type DeletionState = { effectiveAt: string | null } | 'unavailable' | null;

/** Of the account that was just signed in to; absent when nothing is scheduled. */
export type ScheduledDeletion = { deletionAt?: string };

/**
 * Why a second factor is to be set up on the way to the destination. `required`: no session is opened without; `announced`: from a day on, `YYYY-MM-DD`;
 * `step-up`: the platform asks for two factors; `none`: there is no reason any more.
 */
export type SetUpReason =
  | { name: 'required'; organization: string | null }
  | { name: 'announced'; organization: string | null; from: string }
  | { name: 'step-up' }
  | { name: 'none' };

/** A sign-in on a new browser that the owner has not said anything about. */
export type SignInToCheck = {
  /** Of its session, in the records. */
  id: string;
  /** RFC 3339 */
  at: string;
  browser: string | null;
  system: string | null;
};

/** For how long a browser that has shown the second factor is not asked for it, in days. */
export const REMEMBERED_DAYS = 30;

/** A session of an account that /security shows. */
export type DeviceSession = {
  /** In the records; null for a session without a record, which is the one of the page. */
  id: string | null;
  /** The page is shown in this session. */
  isCurrent: boolean;
  /** Such as `Chrome`; null when unknown. */
  browser: string | null;
  /** Such as `Android`; null when unknown. */
  system: string | null;
  /** The sign-in method, by the identity provider's id; null when unknown. */
  method: string | null;
  /** When the account was first used in this browser, RFC 3339. */
  firstUsed: string;
  /** When it was last used, to 15 minutes, RFC 3339. */
  lastUsed: string;
  /** Until when its sign-ins are not asked for the second factor, RFC 3339; null: they are. */
  rememberedUntil: string | null;
};

/** One other session, or all of them. */
export type SessionsToEnd = { session: string } | { others: true };

/** Authenticator apps of one account. */
export const MAX_APPS = 2;
/** Recovery codes of one set. */
export const RECOVERY_CODE_COUNT = 10;

/** So few recovery codes are left that /security warns at its top. */
export const LAST_CODES = 1;

/** An authenticator app as its owner sees it. */
export type AuthenticatorApp = {
  id: string;
  /** RFC 3339. */
  createdAt: string;
  /** RFC 3339; null before its first sign-in. */
  lastUsedAt: string | null;
};

/** What /security shows of the second factor. Without apps, the account has none. */
export type SecondFactor = {
  apps: AuthenticatorApp[];
  /** Recovery codes that were not used. */
  codesLeft: number;
  /** When a reset that runs turns it off, RFC 3339; null without one. */
  endsAt: string | null;
};

/** What an authenticator app is given. `id`: of the set-up, which a later one of the account replaces. */
export type NewApp = {
  id: string;
  /** The key, in base32 (RFC 4648). */
  secret: string;
  /** The same as a URI: `otpauth://totp/…`. */
  uri: string;
  /** The URI as a QR code: an SVG path in a square of `size` modules, one unit each, quiet zone included. */
  qr: { size: number; path: string };
};

/**
 * What a user shows besides the first factor: six digits of an app, or a recovery code. Of a recovery code, case, spaces and dashes
 * are ignored.
 */
export type FactorCode = { code: string } | { recoveryCode: string };
