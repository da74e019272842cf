/**
 * Every cookie this app sets: name, lifetime, and whether scripts can read it (docs/product.md#data).
 * All are `Secure`, `SameSite=Lax`, `Path=/` and, but for `hostOnly`, set on the main domain. The specification gives
 * the names, their prefix `kk` included; cookies that it does not have are marked. Names in headers: `getCookieName`.
 */
import { browserCookies, fitsSpec, LIFETIME, type CookieSpec } from './browser-cookies';
import { isWithinDomain } from './callback/rules';

/**
 * Cookies go to every server of the main domain. Node.js refuses requests with more than 16 KiB of headers (431), so that a
 * browser with too many bytes of cookies cannot open any page (docs/adr/0022). In bytes, names included.
 */
export const COOKIE_BUDGET = {
  /** All cookies that plain links can make this app set: the sum of their `maxBytes`. */
  links: 6_144,
  /** The tokens of all registrations and resets that a browser has open. */
  flows: 7_168,
} as const;

/** Cookies that scripts can read, but none of this app's does: the server and the platform's pages. */
const readableCookies = {
  accessLevel: { name: 'kk_user_access_level', maxAge: LIFETIME.session },
  userId: { name: 'kk_uid', maxAge: LIFETIME.session },
  signInEmail: { name: 'sign-in-email', maxAge: LIFETIME.day, perFlow: true },
  passwordUpdate: { name: 'password-update', maxAge: LIFETIME.veryShort },
  /** Not in the specification: the language that the learner has chosen; the platform can use it, too. */
  language: { name: 'lang', maxAge: LIFETIME.max, devicePreference: true, maxBytes: 5 },
  emailConfirmation: { name: 'auth-email-confirmation', maxAge: LIFETIME.day },
} as const satisfies Record<string, CookieSpec>;

/** Cookies that scripts cannot read. */
const serverCookies = {
  session: { name: '_secure-user-session', maxAge: LIFETIME.session, httpOnly: true },
  passwordReset: { name: 'auth-password-reset', maxAge: LIFETIME.veryShort, httpOnly: true, perFlow: true },
  emailConfirmationToken: {
    name: 'email-confirmation-token',
    maxAge: LIFETIME.veryShort,
    httpOnly: true,
    perFlow: true,
  },
  /** Not in the specification: the mobile app's request, kept while the learner signs in and selects an account. */
  mobileRequest: { name: 'mobile-request', maxAge: LIFETIME.veryShort, httpOnly: true, hostOnly: true, maxBytes: 896 },
  /**
   * Not in the specification: the encrypted code of an email link while it is processed; it never appears in a URL (docs/adr/0009).
   */
  emailAction: { name: 'email-action', maxAge: LIFETIME.veryShort, httpOnly: true, hostOnly: true, maxBytes: 1_536 },
  /** Not in the specification: encrypted list of the email addresses that have signed in with this browser (docs/adr/0006). */
  knownBrowser: { name: 'known-browser', maxAge: LIFETIME.browser, httpOnly: true, hostOnly: true },
  /** Not in the specification: a sign-in that waits for its second factor (docs/adr/0032). */
  pendingSignIn: { name: 'pending-sign-in', maxAge: 30 * 60, httpOnly: true, hostOnly: true },
  /** Not in the specification: sealed token of the code that was emailed for a reset of the second factor (docs/adr/0033). */
  factorReset: { name: 'factor-reset', maxAge: LIFETIME.veryShort, httpOnly: true, hostOnly: true },
  /** Not in the specification: secret of this browser, which a session is renewed with (docs/adr/0027). */
  device: { name: 'device', maxAge: LIFETIME.browser, httpOnly: true, hostOnly: true },
} as const satisfies Record<string, CookieSpec>;

export const cookieTable = { ...browserCookies, ...readableCookies, ...serverCookies } as const;

export type CookieKey = keyof typeof cookieTable;
type KeysWith<Flag> = { [K in CookieKey]: (typeof cookieTable)[K] extends Flag ? K : never }[CookieKey];
export type HostCookieKey = KeysWith<{ hostOnly: true }>;
export type FlowCookieKey = KeysWith<{ perFlow: true }>;

export const flowCookies = [
  'emailConfirmationToken',
  'passwordReset',
  'signInEmail',
] as const satisfies FlowCookieKey[];

/**
 * Name of a cookie in headers. Those of this host alone have the prefix `__Host-` (RFC 6265bis, section 4.1.3.2): browsers do not take
 * them from another host of the main domain, nor over http. On localhost, http is all there is, so the name is the plain one. A plain one
 * elsewhere can be of any host: none is read (docs/adr/0035).
 */
export function getCookieName(key: CookieKey, mainDomain: string): string {
  const { name, hostOnly }: CookieSpec = cookieTable[key];
  return hostOnly && !isWithinDomain(mainDomain, 'localhost') ? `__Host-${name}` : name;
}

export const hostCookies = Object.entries<CookieSpec>(cookieTable).flatMap(([key, { hostOnly }]) =>
  hostOnly ? [key as HostCookieKey] : [],
);

/** All others: those of the main domain. */
export const mainDomainCookies = (Object.keys(cookieTable) as CookieKey[]).filter(
  (key): key is Exclude<CookieKey, HostCookieKey> => !hostCookies.some((each) => each === key),
);

/** Whether the encoded value is within the size that the table allows. */
export function fitsCookie(key: CookieKey, value: string): boolean {
  return fitsSpec(cookieTable[key], value);
}

export function getFlowCookieName(key: FlowCookieKey, flow: string): string {
  return `${cookieTable[key].name}-${flow}`;
}

/** Every cookie with personal data: all but the device preferences. */
export function personalCookies(): CookieKey[] {
  const specs: [string, CookieSpec][] = Object.entries(cookieTable);
  return specs.filter(([, { devicePreference }]) => !devicePreference).map(([key]) => key as CookieKey);
}
