/**
 * The social providers as data. What else depends on one of them: docs/development.md, "Add a social provider".
 */
export type SocialProvider = {
  /** The identity provider's own id for it, used in an account's list of sign-in methods. */
  firebaseId: string;
  /** The provider's name as its brand guidelines write it; in lower case, the name of its logo below `/providers`. */
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

/** In the order of the table. */
export const SOCIAL_PROVIDER_IDS = Object.keys(SOCIAL_PROVIDERS) as SocialProviderId[];

export function isSocialProvider(id: unknown): id is SocialProviderId {
  return typeof id === 'string' && Object.hasOwn(SOCIAL_PROVIDERS, id);
}

/** Maps the identity provider's id of a social provider to ours; null for all other methods. */
export function getSocialProviderId(firebaseId: string): SocialProviderId | null {
  const known = Object.entries(SOCIAL_PROVIDERS).find(([, provider]) => provider.firebaseId === firebaseId);
  return (known?.[0] as SocialProviderId | undefined) ?? null;
}

/** A provider's display name, by our id or the identity provider's. */
export function getMethodName(id: string): string {
  const known = Object.entries(SOCIAL_PROVIDERS).find(([own, { firebaseId }]) => own === id || firebaseId === id);
  return known?.[1].name ?? id;
}

/** Whether a method signs in through an organization or a partner. */
export function isOrganization(id: string): boolean {
  return /^(?:saml|oidc)\./.test(id) && getSocialProviderId(id) === null;
}

// Sign-in methods that our server verifies itself: the identity provider knows only the custom token that follows
// (docs/adr/0012, docs/adr/0030). Events and sessions name them like those of the provider.

/** An emailed link or code. */
export const EMAIL_METHOD = 'email';
export const PASSKEY_METHOD = 'passkey';

export const OWN_METHODS = [EMAIL_METHOD, PASSKEY_METHOD] as const;
type OwnMethod = (typeof OWN_METHODS)[number];

/**
 * A passkey whose user verification does not count yet: one factor (docs/adr/0030). A method of its own in tokens, so that whatever hands a
 * sign-in on without knowing of it hands on one factor.
 */
export const UNVERIFIED_PASSKEY_METHOD = 'passkey-unverified';

/** As tokens name them. */
export const TOKEN_METHODS = [...OWN_METHODS, UNVERIFIED_PASSKEY_METHOD] as const;
export type TokenMethod = (typeof TOKEN_METHODS)[number];

/** As events, sessions and texts name them. */
export function toOwnMethod(method: TokenMethod | null): OwnMethod | null {
  return method === UNVERIFIED_PASSKEY_METHOD ? PASSKEY_METHOD : method;
}
