/** Maximum number of passkeys of an account. */
export const MAX_PASSKEYS = 10;
/** Maximum length of a passkey's name, in characters. */
export const PASSKEY_NAME_MAX_LENGTH = 60;

/**
 * Why a passkey is created. `settings`: on /security. `upgrade`: the browser creates it by itself after a sign-in with a
 * password (WebAuthn Level 3, conditional create). `offer`: we offered it. `registration`: it replaces a password.
 */
export const PASSKEY_SOURCES = ['settings', 'upgrade', 'offer', 'registration'] as const;
export type PasskeySource = (typeof PASSKEY_SOURCES)[number];

/** A passkey as its owner sees it. */
export type Passkey = {
  id: string;
  /** The owner's name for it. At first, the browser that created it, or null if its provider is known. */
  name: string | null;
  /** Name of the password manager or security key (AAGUID). Null if unknown. */
  provider: string | null;
  /** Whether it is backed up, so that the owner's other devices have it, too. */
  isSynced: boolean;
  /** Whether a copy of it may exist. It can no longer sign in. */
  isSuspect: boolean;
  /** RFC 3339. */
  createdAt: string;
  /** RFC 3339. Null before its first use. */
  lastUsedAt: string | null;
};

/**
 * All passkeys of an account, for the browser's password managers (WebAuthn Level 3, Signal API). It is only read from a
 * writable database, because a replica can lag behind.
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

/** The offer on /sign-in/add-passkey. `instead-of-password`: the account has no sign-in method yet. */
export type PasskeyOffer = 'another' | 'instead-of-password' | 'none';
