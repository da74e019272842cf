/** The subject of analytics: a signed-in learner, with the data available on this page. */
export type AnalyticsUser = {
  uid: string;
  email: string | null;
  displayName: string | null;
  photoURL: string | null;
  /** Only known right after a sign-in. */
  account?: {
    providerId: string;
    providerIds: string[];
    /** RFC 7231 dates, as the identity provider writes them. */
    createdAt: string | undefined;
    lastSignInAt: string | undefined;
    anonymous: boolean;
  };
};

/** Provider names used in analytics; others keep their own id. */
const PROVIDERS: Record<string, string> = {
  password: 'credentials',
  'facebook.com': 'Facebook',
  'google.com': 'Google',
  'github.com': 'Github',
  'microsoft.com': 'Microsoft',
  'linkedin.com': 'Linkedin',
};

export function providerName(providerId: string): string {
  return PROVIDERS[providerId.replace(/^oidc\.(?=linkedin)/, '').replace(/^linkedin$/, 'linkedin.com')] ?? providerId;
}

/** Traits of an identified learner (docs/product.md#data). */
export function getTraits({ email, displayName }: AnalyticsUser, campaign: Record<string, string>) {
  return { email, distinct_id: email, name: displayName || email, ...campaign };
}

/** Additional data from the session's cookies. */
export type Visit = { sessionId: string | undefined; clickId: string | undefined; source: string | undefined };

/** A learner's user properties (docs/product.md#data), without the unknown ones. */
export function getUserProperties(user: AnalyticsUser, visit: Visit): Record<string, unknown> {
  const { uid, email, displayName, photoURL, account } = user;
  const properties = {
    user_id: uid,
    session_id: visit.sessionId,
    click_id: visit.clickId,
    source: visit.source,
    provider_id: account && providerName(account.providerId),
    provider_ids: account?.providerIds.map(providerName),
    name: displayName || email,
    email,
    creation_time: account?.createdAt,
    last_sign_in_time: account?.lastSignInAt,
    photo_url: photoURL,
    is_anonymous: account?.anonymous,
  };
  return Object.fromEntries(Object.entries(properties).filter(([, value]) => value !== undefined && value !== null));
}
