/**
 * Every cookie that this app sets, with its name, lifetime, and whether scripts can read it (docs/product.md#data).
 * All are `Secure`, `SameSite=Lax` and `Path=/`. All but `hostOnly` cookies are set on the main domain. The specification
 * defines the names, including the prefix `kk`. Other cookies are marked. `getCookieName` returns names in headers.
 */
import { browserCookies, fitsSpec, LIFETIME, type CookieSpec } from './browser-cookies';
import { isWithinDomain } from './callback/rules';

/**
 * Limits for cookies in bytes, names included. Node.js refuses requests with more than 16 KiB of headers (431). A browser
 * with too many bytes of cookies could not open any page of the main domain (docs/adr/0022).
 */
export const COOKIE_BUDGET = {
  /** Sum of the `maxBytes` of all cookies that plain links can make this app set. */
  links: 6_144,
  /** Tokens of all open registrations and resets of a browser. */
  flows: 7_168,
  /** What was typed in all open registrations of a browser, with the longest ASCII passwords. Only this host gets it. */
  newAccounts: 2_560,
} as const;

/** Cookies that scripts can read. Only the server and the platform's pages read them. */
const readableCookies = {
  accessLevel: { name: 'kk_user_access_level', maxAge: LIFETIME.session },
  userId: { name: 'kk_uid', maxAge: LIFETIME.session },
  signInEmail: { name: 'sign-in-email', maxAge: LIFETIME.day },
  passwordUpdate: { name: 'password-update', maxAge: LIFETIME.veryShort },
  /** Not in the specification: the language that the learner has chosen. The platform can use it, too. */
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
  /**
   * Not in the specification: the encrypted name and password of an account that begins when its code comes back
   * (docs/adr/0055).
   */
  newAccount: { name: 'new-account', maxAge: LIFETIME.veryShort, httpOnly: true, hostOnly: true, perFlow: true },
  /** Not in the specification: the encrypted code of an emailed sign-in. Only the flows' cookies are set. */
  signInCode: { name: 'sign-in-code', maxAge: LIFETIME.veryShort, httpOnly: true, perFlow: true },
  /** Not in the specification: the mobile app's request, kept while the learner signs in and selects an account. */
  mobileRequest: { name: 'mobile-request', maxAge: LIFETIME.veryShort, httpOnly: true, hostOnly: true, maxBytes: 896 },
  /**
   * Not in the specification: the encrypted code of an email link, which never stays in a URL (docs/adr/0009).
   */
  emailAction: { name: 'email-action', maxAge: LIFETIME.veryShort, httpOnly: true, hostOnly: true, maxBytes: 1_536 },
  /** Not in the specification: the encrypted list of email addresses that have signed in with this browser (docs/adr/0006). */
  knownBrowser: { name: 'known-browser', maxAge: LIFETIME.browser, httpOnly: true, hostOnly: true },
  /** Not in the specification: a sign-in that waits for its second factor (docs/adr/0032). */
  pendingSignIn: { name: 'pending-sign-in', maxAge: 30 * 60, httpOnly: true, hostOnly: true },
  /** Not in the specification: the sealed token of a code that resets the second factor (docs/adr/0033). */
  factorReset: { name: 'factor-reset', maxAge: LIFETIME.veryShort, httpOnly: true, hostOnly: true },
  /** Not in the specification: the sealed token of a code that changes the email of the account (docs/adr/0050). */
  emailChange: { name: 'email-change', maxAge: LIFETIME.veryShort, httpOnly: true, hostOnly: true },
  /** Not in the specification: this browser's secret, with which it renews a session (docs/adr/0027). */
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
  'signInCode',
  'newAccount',
] as const satisfies FlowCookieKey[];

/**
 * Returns the name of a cookie in headers. Cookies of this host have the prefix `__Host-` (RFC 6265bis, section 4.1.3.2).
 * Browsers do not accept them from another host of the main domain, nor over http. Localhost has only http, so it uses the
 * plain name. Elsewhere, any host could have set a plain cookie, so we never read it (docs/adr/0035).
 */
export function getCookieName(key: CookieKey, mainDomain: string): string {
  const { name, hostOnly }: CookieSpec = cookieTable[key];
  return hostOnly && !isWithinDomain(mainDomain, 'localhost') ? `__Host-${name}` : name;
}

export const hostCookies = Object.entries<CookieSpec>(cookieTable).flatMap(([key, { hostOnly }]) =>
  hostOnly ? [key as HostCookieKey] : [],
);

/** All cookies of the main domain. */
export const mainDomainCookies = (Object.keys(cookieTable) as CookieKey[]).filter(
  (key): key is Exclude<CookieKey, HostCookieKey> => !hostCookies.some((each) => each === key),
);

/** Whether the encoded value is within the size that the table allows. */
export function fitsCookie(key: CookieKey, value: string): boolean {
  return fitsSpec(cookieTable[key], value);
}

export function getFlowCookieName(key: FlowCookieKey, flow: string, mainDomain: string): string {
  return `${getCookieName(key, mainDomain)}-${flow}`;
}

/** Returns every cookie with personal data: all but the device preferences. */
export function personalCookies(): CookieKey[] {
  const specs: [string, CookieSpec][] = Object.entries(cookieTable);
  return specs.filter(([, { devicePreference }]) => !devicePreference).map(([key]) => key as CookieKey);
}
