/** Of one account. */
export const MAX_PASSKEYS = 10;
/** In characters. */
export const PASSKEY_NAME_MAX_LENGTH = 60;

/**
 * Why a passkey is created: on /security; by the browser alone, after a sign-in with a password (WebAuthn Level 3,
 * conditional create); by an offer of ours; or in place of a password.
 */
export const PASSKEY_SOURCES = ['settings', 'upgrade', 'offer', 'registration'] as const;
export type PasskeySource = (typeof PASSKEY_SOURCES)[number];

/** A passkey as its owner sees it. */
export type Passkey = {
  id: string;
  /** Given by the owner; before that of the browser that it was created in, or null where its provider is known. */
  name: string | null;
  /** Name of the password manager or security key (AAGUID); null when unknown. */
  provider: string | null;
  /** Backed up, and so on other devices of the owner as well. */
  isSynced: boolean;
  /** A copy of it may exist: it no longer signs in. */
  isSuspect: boolean;
  /** RFC 3339. */
  createdAt: string;
  /** RFC 3339; null before its first use. */
  lastUsedAt: string | null;
};

/**
 * All passkeys of an account, for the browser's password managers (WebAuthn Level 3, Signal API): only from a database that can
 * be written to, so never from one that lags behind.
 */
export type PasskeySignal = {
  rpId: string;
  /** The user handle, base64url. */
  userId: string;
  /** Base64url. */
  credentialIds: string[];
  /** The account's email. */
  name: string;
  displayName: string;
};

/** The passkeys that /security shows. */
export type PasskeyList = { passkeys: Passkey[]; signal: PasskeySignal | null };

/** What /sign-in/add-passkey offers. `instead-of-password`: the account has no sign-in method yet. */
export type PasskeyOffer = 'another' | 'instead-of-password' | 'none';
