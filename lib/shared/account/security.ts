import { paths } from '../paths';
import { EMAIL_METHOD, type SocialProviderId } from '../sign-in-methods';

// These are not in paths.ts, because every page loads that file.

/** Query parameter with the part of /security to open. */
export const PART_QUERY = 'part';

/** Parts of /security, in their order on the page. Each part has its own address. */
export const SECURITY_PARTS = ['sign-in', 'two-step-verification', 'devices', 'your-data'] as const;
export type SecurityPart = (typeof SECURITY_PARTS)[number];

export function pathToPart(part: SecurityPart): string {
  return `${paths.security}?${PART_QUERY}=${part}`;
}

/** The page that deletes an account. App stores require a link to it. */
export const deletionPage = pathToPart('your-data');

/** A change of the account's sign-in methods. `unlink` uses the identity provider's id. */
export type MethodChange = { kind: 'link'; id: SocialProviderId } | { kind: 'unlink'; id: string };

/** A sign-in method with its id at the identity provider and the email that it has for the user. */
export type LinkedMethod = {
  id: string;
  email: string | null;
  /** False if the account still has the method but cannot sign in with it, for example after a partner was disabled. */
  usable: boolean;
};

/** Account data shown on /security. */
export type AccountSecurity = {
  uid: string;
  name: string | null;
  email: string | null;
  emailVerified: boolean;
  methods: LinkedMethod[];
  /** Social providers that can be connected: the origin's, or all while its config is unknown. Connected ones are left out. */
  connectable: readonly SocialProviderId[];
  /** Number of passkeys that can sign in. */
  passkeys: number;
  /** Whether every sign-in asks for a code, except with a passkey. */
  hasSecondFactor: boolean;
  /** Time of the last sign-in (RFC 3339). The calendar day depends on the reader's time zone. */
  lastSignIn: string | null;
};

/** The owner's sign-in methods. `passkeys` is the number of passkeys that can sign in. */
export type WaysToSignIn = { methods: readonly LinkedMethod[]; passkeys: number };

/** A single passkey is not enough, because it is lost with its device. */
const PASSKEYS_IN_PLACE_OF_METHODS = 2;

/** Whether the owner can still sign in after a method is removed (docs/account-policy.md#removing-a-method). */
export function canRemoveMethod({ methods, passkeys }: WaysToSignIn, id: string): boolean {
  return methods.some((method) => method.id !== id && method.usable) || passkeys >= PASSKEYS_IN_PLACE_OF_METHODS;
}

/** Whether the owner can still sign in after a passkey is removed. @param ways its `passkeys` exclude the removed passkey */
export function canRemovePasskey({ methods, passkeys }: WaysToSignIn): boolean {
  return methods.some(({ usable }) => usable) || passkeys > 0;
}

/**
 * Whether a method can be linked or unlinked. The origin must enable a method before it can be linked. A method can be
 * unlinked if the account has it and the owner can still sign in without it.
 * @param change its `id` is ours for `link`
 */
export function canChangeMethod(account: AccountSecurity, { kind, id }: MethodChange): boolean {
  if (kind === 'link') return account.connectable.includes(id);
  return account.methods.some((method) => method.id === id) && canRemoveMethod(account, id);
}

/** Lifetime of a proof, in milliseconds (docs/product.md#constants). */
export const RECENT_PROOF_MS = 300_000;

/**
 * The last sign-in of this browser, by the claims of its token. `provedAt`: in milliseconds since 1970. `factors`: how many
 * it has shown.
 */
export type ShownProof = { method: string | null; provedAt: number; factors: 1 | 2 };

/**
 * Decides what is missing before a change of the account, if a sign-in or sign-up by email counts as its proof.
 * @param now in milliseconds since 1970, by the server's clock
 * @returns null if nothing is missing; `code` if the second factor is; otherwise a new proof
 */
export function getMissingProof(
  { method, provedAt, factors }: ShownProof,
  { hasSecondFactor }: Pick<AccountSecurity, 'hasSecondFactor'>,
  now: number,
): 'code' | 'proof' | null {
  if (method !== EMAIL_METHOD || now - provedAt >= RECENT_PROOF_MS) return 'proof';
  return hasSecondFactor && factors === 1 ? 'code' : null;
}

/**
 * Whether a removal first shows its effect, before it asks for a proof. The form of a password shows both, because the
 * user types something before the button works. Every other proof is a single press.
 */
export function asksFirst({ methods }: Pick<AccountSecurity, 'methods'>): boolean {
  return !methods.some(({ id }) => id === 'password');
}

/**
 * The scheduled deletion of the signed-in user's account. `effectiveAt` is RFC 3339, or null if none is scheduled.
 * `unavailable`: the database does not answer. Null: another deployment has the accounts, and only it can delete them.
 */
export type DeletionState = { effectiveAt: string | null } | 'unavailable' | null;

/** The scheduled deletion of the account that has just signed in. Absent if none is scheduled. */
export type ScheduledDeletion = { deletionAt?: string };

/**
 * Why a page before the destination asks to set up a second factor. `required`: no session opens without it.
 * `announced`: it is required from a day on (`YYYY-MM-DD`). `step-up`: the platform requests two factors. `none`: the
 * reason has gone.
 */
export type SetUpReason =
  | { name: 'required'; organization: string | null }
  | { name: 'announced'; organization: string | null; from: string }
  | { name: 'step-up' }
  | { name: 'none' };

/** A sign-in on a new browser that the owner has neither confirmed nor disavowed. */
export type SignInToCheck = {
  /** Id of its session in the records. */
  id: string;
  /** RFC 3339 */
  at: string;
  browser: string | null;
  system: string | null;
};

/** Days for which a remembered browser is not asked for the second factor. */
export const REMEMBERED_DAYS = 30;

/** A session of an account, for the list on /security. */
export type DeviceSession = {
  /** Id of the session in the records. */
  id: string;
  /** Whether the page belongs to this session. */
  isCurrent: boolean;
  /** Such as `Chrome`. Null if unknown. */
  browser: string | null;
  /** Such as `Android`. Null if unknown. */
  system: string | null;
  /** The sign-in method, by the identity provider's id. Null if unknown. */
  method: string | null;
  /** When the account was first used in this browser, RFC 3339. */
  firstUsed: string;
  /** When it was last used, accurate to 15 minutes, RFC 3339. */
  lastUsed: string;
  /** Until when its sign-ins skip the second factor, RFC 3339. Null if they do not skip it. */
  rememberedUntil: string | null;
};

/** Another session, or all other sessions. */
export type SessionsToEnd = { session: string } | { others: true };

/** How long a reset of the second factor takes (docs/account-policy.md#everything-lost). */
export const RESET_HOURS = 72;

/** Maximum number of authenticator apps of an account. */
export const MAX_APPS = 2;
/** Number of recovery codes in a set. */
export const RECOVERY_CODE_COUNT = 10;

/** Number of remaining recovery codes at which /security warns at its top. */
export const LAST_CODES = 1;

/** An authenticator app as its owner sees it. */
export type AuthenticatorApp = {
  id: string;
  /** RFC 3339. */
  createdAt: string;
  /** RFC 3339. Null before its first sign-in. */
  lastUsedAt: string | null;
};

/** What /security shows of the second factor. Without apps, the account has none. */
export type SecondFactor = {
  apps: AuthenticatorApp[];
  /** Number of unused recovery codes. */
  codesLeft: number;
  /** When a requested reset turns it off, RFC 3339. Null without a reset. */
  endsAt: string | null;
};

/** The data for an authenticator app. `id` is the setup's. A later setup of the account replaces it. */
export type NewApp = {
  id: string;
  /** The key, in base32 (RFC 4648). */
  secret: string;
  /** The key as a URI: `otpauth://totp/…`. */
  uri: string;
  /** The URI as a QR code: an SVG path in a square of `size` modules, one unit each, quiet zone included. */
  qr: { size: number; path: string };
};

/**
 * The code that a user types after the first factor: six digits of an app, or a recovery code. Case, spaces and dashes
 * of a recovery code do not matter.
 */
export type FactorCode = { code: string } | { recoveryCode: string };
