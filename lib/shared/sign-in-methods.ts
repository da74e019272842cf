/**
 * The social providers as data. docs/development.md, "Add a social provider", lists the code that depends on them.
 */
export type SocialProvider = {
  /** The identity provider's own id for it, used in an account's list of sign-in methods. */
  firebaseId: string;
  /** The name as the provider's brand guidelines write it. In lower case, it names the logo below `/providers`. */
  name: string;
  /** The logo has a single color and follows the theme. */
  monochrome?: true;
};

export const SOCIAL_PROVIDERS = {
  'google.com': { firebaseId: 'google.com', name: 'Google' },
  'microsoft.com': { firebaseId: 'microsoft.com', name: 'Microsoft' },
  'apple.com': { firebaseId: 'apple.com', name: 'Apple', monochrome: true },
  'facebook.com': { firebaseId: 'facebook.com', name: 'Facebook' },
  'linkedin.com': { firebaseId: 'oidc.linkedin', name: 'LinkedIn' },
  'github.com': { firebaseId: 'github.com', name: 'GitHub', monochrome: true },
  'twitter.com': { firebaseId: 'twitter.com', name: 'X', monochrome: true },
} as const satisfies Record<string, SocialProvider>;

export type SocialProviderId = keyof typeof SOCIAL_PROVIDERS;

/** Ids in the order of `SOCIAL_PROVIDERS`. */
export const SOCIAL_PROVIDER_IDS = Object.keys(SOCIAL_PROVIDERS) as SocialProviderId[];

export function isSocialProvider(id: unknown): id is SocialProviderId {
  return typeof id === 'string' && Object.hasOwn(SOCIAL_PROVIDERS, id);
}

/** Maps the identity provider's id of a social provider to ours. Returns null for all other methods. */
export function getSocialProviderId(firebaseId: string): SocialProviderId | null {
  const known = Object.entries(SOCIAL_PROVIDERS).find(([, provider]) => provider.firebaseId === firebaseId);
  return (known?.[0] as SocialProviderId | undefined) ?? null;
}

/** Returns a provider's display name, by our id or the identity provider's id. */
export function getMethodName(id: string): string {
  const known = Object.entries(SOCIAL_PROVIDERS).find(([own, { firebaseId }]) => own === id || firebaseId === id);
  return known?.[1].name ?? id;
}

/** Whether a method signs in through an organization or a partner. */
export function isOrganization(id: string): boolean {
  return /^(?:saml|oidc)\./.test(id) && getSocialProviderId(id) === null;
}

// Our server verifies these sign-in methods itself. The identity provider only sees the custom token that follows
// (docs/adr/0012, docs/adr/0030). Events and sessions name them like the provider's methods.

/** An emailed link or code. */
export const EMAIL_METHOD = 'email';
export const PASSKEY_METHOD = 'passkey';

export const OWN_METHODS = [EMAIL_METHOD, PASSKEY_METHOD] as const;
type OwnMethod = (typeof OWN_METHODS)[number];

/**
 * A passkey whose user verification does not count yet, so it is a single factor (docs/adr/0030). Tokens have a separate
 * method for it. Code that passes a sign-in on and ignores this case then still passes on a single factor.
 */
export const UNVERIFIED_PASSKEY_METHOD = 'passkey-unverified';

/** Our methods by their names in tokens. */
export const TOKEN_METHODS = [...OWN_METHODS, UNVERIFIED_PASSKEY_METHOD] as const;
export type TokenMethod = (typeof TOKEN_METHODS)[number];

/** Maps a method in a token to its name in events, sessions and texts. */
export function toOwnMethod(method: TokenMethod | null): OwnMethod | null {
  return method === UNVERIFIED_PASSKEY_METHOD ? PASSKEY_METHOD : method;
}
