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
