import { createHash, createHmac } from 'node:crypto';
import type { StoredAccount } from '@/lib/server/policy';
import { env } from '@/lib/server/runtime';
import { PASSKEY_METHOD, EMAIL_METHOD, UNVERIFIED_PASSKEY_METHOD } from '@/lib/shared/sign-in-methods';
import type { RecordedSession } from '@/lib/server/session';

/**
 * Claims that a client can get in addition to `sub` (OpenID Connect Core 1.0, section 5.1). Its configuration selects
 * them.
 */
export const CLAIMS = [
  ...(['name', 'given_name', 'family_name', 'preferred_username', 'locale', 'picture'] as const),
  ...(['email', 'email_verified'] as const),
] as const;
export type ClaimName = (typeof CLAIMS)[number];

export const SCOPES = ['openid', 'profile', 'email', 'offline_access'] as const;
export const CLAIMS_OF_SCOPES = {
  openid: ['sub', 'acr', 'amr', 'auth_time', 'sid'],
  profile: CLAIMS.filter((name) => !name.startsWith('email')),
  email: CLAIMS.filter((name) => name.startsWith('email')),
};

/** How many factors the user has shown, as values of `acr` and `acr_values`. */
export const ACR = { 1: 'aal1', 2: 'aal2' } as const;

/**
 * Returns how many factors a client requires: two if it accepts nothing less.
 * @param acrValues untrusted: space-separated, in order of preference
 */
export function getRequestedAssurance(acrValues: unknown): 1 | 2 {
  const values = typeof acrValues === 'string' ? acrValues.split(' ') : [];
  return values.includes(ACR[2]) && !values.includes(ACR[1]) ? 2 : 1;
}

/**
 * Returns a client's `sub` of an account (OpenID Connect Core 1.0, section 8). A pairwise subject must never change, so
 * its secret is a separate key.
 */
export function getSubject(uid: string, clientId: string, subjectType: string | undefined): string {
  if (subjectType !== 'pairwise') return uid;
  const { OIDC_PAIRWISE_SECRET: secret } = env();
  if (secret === undefined) throw new Error('OIDC_PAIRWISE_SECRET is not set');
  return createHmac('sha256', Buffer.from(secret, 'base64')).update(`${clientId}\n${uid}`).digest('hex');
}

type Person = Pick<StoredAccount, 'email' | 'emailVerified' | 'displayName' | 'photoURL'>;

/**
 * Builds the claims about an account.
 * @param sub the client's subject, from which the user name is made, because learners may share a name
 * @param allowed claims in the client's configuration
 */
export function buildClaims(
  { email, emailVerified, displayName, photoURL }: Person,
  { sub, locale, allowed }: { sub: string; locale: string | null; allowed: readonly ClaimName[] },
): Partial<Record<ClaimName, string | boolean>> {
  const name = displayName?.trim().replaceAll(/\s+/g, ' ');
  const picture = photoURL !== undefined && /^https:/.test(photoURL) ? photoURL : undefined;
  const all: Record<ClaimName, string | boolean | null | undefined> = {
    name,
    ...splitName(name),
    preferred_username: toUserName(sub),
    locale,
    picture,
    // Moodle links accounts by an email without checking `email_verified`.
    email: emailVerified ? email : undefined,
    email_verified: emailVerified && email !== undefined ? true : undefined,
  };
  const given = Object.entries(all).filter(([claim, value]) => value && allowed.some((each) => each === claim));
  return Object.fromEntries(given);
}

/** A valid user name in Moodle: no upper case, and at most 100 characters. */
const USER_NAME = /^[a-z0-9_.@-]{1,100}$/;

/** Makes a user name from a subject. For an imported subject with other characters, a hash makes it unique. */
function toUserName(sub: string): string {
  const name = sub.toLowerCase();
  if (USER_NAME.test(name)) return name;
  const hash = createHash('sha256').update(sub).digest('hex').slice(0, 16);
  return `${name.replaceAll(/[^a-z0-9_.@-]+/g, '-').slice(0, 80)}-${hash}`;
}

/**
 * Splits a name. The last word is the family name, and a single word is a given name. Accounts have a single name
 * (docs/openid-connect.md).
 */
function splitName(name: string | undefined): { given_name: string | undefined; family_name: string | undefined } {
  const at = name?.lastIndexOf(' ') ?? -1;
  if (name === undefined || at < 0) return { given_name: name, family_name: undefined };
  return { given_name: name.slice(0, at), family_name: name.slice(at + 1) };
}

/** Returns how the user of a session signed in (RFC 8176), as far as it is certain. */
export function getAmr({ signIn: { provider, method, factor }, session }: RecordedSession): string[] {
  const isTwo = session.status.assurance === 2;
  const byOtp = factor === 'totp' || factor === 'recovery-code';
  const all = [...getFirstAmr(method, provider), ...(byOtp ? ['otp'] : []), ...(isTwo ? ['mfa'] : [])];
  return [...new Set(all)];
}

function getFirstAmr(method: string | null, provider: string): string[] {
  if (method === PASSKEY_METHOD || method === UNVERIFIED_PASSKEY_METHOD) return ['pop'];
  // An emailed code or link.
  if (method === EMAIL_METHOD) return ['otp'];
  return provider === 'password' ? ['pwd'] : [];
}

/** Converts the user's sign-in to the library's form. */
export function toLogin(session: RecordedSession) {
  const { status, authTime } = session.session;
  const amr = getAmr(session);
  return {
    accountId: status.uid,
    loginTs: authTime ?? session.signIn.authenticatedAt,
    acr: ACR[status.assurance],
    ...(amr.length > 0 && { amr }),
  };
}
