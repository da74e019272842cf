/** The social providers as data; nothing else in the code tells one from another. */
export type SocialProvider = {
  /** The identity provider's own id for it: what an account's sign-in methods are listed under. */
  firebaseId: string;
  /** The provider's name as its brand rules write it. */
  name: string;
  /** What is asked for beyond the default. Without an e-mail address nobody can be let in. */
  scopes: readonly string[];
  /** File of its mark below `/providers`. */
  mark: string;
  /** The mark is one colour and turns with the theme. */
  monochrome: boolean;
};

export const SOCIAL_PROVIDERS = {
  'google.com': { firebaseId: 'google.com', name: 'Google', scopes: ['profile', 'email'], mark: 'google', monochrome: false },
  'microsoft.com': { firebaseId: 'microsoft.com', name: 'Microsoft', scopes: ['openid', 'email', 'profile'], mark: 'microsoft', monochrome: false },
  'apple.com': { firebaseId: 'apple.com', name: 'Apple', scopes: ['email', 'name'], mark: 'apple', monochrome: true },
  'facebook.com': { firebaseId: 'facebook.com', name: 'Facebook', scopes: ['email'], mark: 'facebook', monochrome: false },
  'linkedin.com': { firebaseId: 'oidc.linkedin', name: 'LinkedIn', scopes: ['email', 'profile'], mark: 'linkedin', monochrome: false },
  'github.com': { firebaseId: 'github.com', name: 'GitHub', scopes: ['user:email'], mark: 'github', monochrome: true },
  'twitter.com': { firebaseId: 'twitter.com', name: 'X', scopes: [], mark: 'x', monochrome: true },
} as const satisfies Record<string, SocialProvider>; // prettier-ignore

export type SocialProviderId = keyof typeof SOCIAL_PROVIDERS;

export function isSocialProvider(id: unknown): id is SocialProviderId {
  return typeof id === 'string' && Object.hasOwn(SOCIAL_PROVIDERS, id);
}
