/**
 * Every cookie this app sets: name, lifetime, and whether scripts can read it (docs/product.md#data, #constants).
 * All are `Secure`, `SameSite=Lax`, `Path=/` and set on the main domain. The specification gives the names, their prefix `kk`
 * included; cookies that it does not have are marked.
 */

/** Lifetimes in seconds. */
export const LIFETIME = {
  max: 5 * 365 * 86_400,
  session: 432_000,
  /** The longest cookie lifetime that browsers accept. */
  browser: 400 * 86_400,
  week: 7 * 86_400,
  day: 86_400,
  hour: 3_600,
  veryShort: 15 * 60,
} as const;

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

type CookieSpec = {
  name: string;
  /** In seconds; null for a session cookie, deleted when the browser closes. */
  maxAge: number | null;
  httpOnly: boolean;
  /** Describes the browser, not a user: "Sign out and clear this device" keeps it. */
  devicePreference?: true;
  /**
   * There is one for each flow too, named `{name}-{flow}`; the one with the plain name belongs to the newest flow
   * (docs/adr/0022).
   */
  perFlow?: true;
  /**
   * Maximum size of the encoded value, in bytes, of a cookie that a plain link can make this app set. A larger value is not
   * stored; the cookie is deleted.
   */
  maxBytes?: number;
};

export const cookieTable = {
  session: { name: '_secure-user-session', maxAge: LIFETIME.session, httpOnly: true },
  loggedIn: { name: 'kk_logged_in', maxAge: LIFETIME.session, httpOnly: false },
  accessLevel: { name: 'kk_user_access_level', maxAge: LIFETIME.session, httpOnly: false },
  userId: { name: 'kk_uid', maxAge: LIFETIME.session, httpOnly: false },
  sessionId: { name: 'kk_sid', maxAge: LIFETIME.session, httpOnly: false },
  /** Click id of an advertisement, for analytics. Only read here: another site of the main domain sets it. */
  clickId: { name: 'kk_clid', maxAge: LIFETIME.week, httpOnly: false },
  callbackUrl: { name: 'callbackUrl', maxAge: LIFETIME.day, httpOnly: false, maxBytes: 2_048 },
  directPurchase: { name: 'direct-purchase-token', maxAge: LIFETIME.day, httpOnly: false, maxBytes: 1 },
  signInEmail: { name: 'sign-in-email', maxAge: LIFETIME.day, httpOnly: false, perFlow: true },
  passwordReset: { name: 'auth-password-reset', maxAge: LIFETIME.veryShort, httpOnly: true, perFlow: true },
  passwordUpdate: { name: 'password-update', maxAge: LIFETIME.veryShort, httpOnly: false },
  emailConfirmation: { name: 'auth-email-confirmation', maxAge: LIFETIME.day, httpOnly: false },
  emailConfirmationToken: {
    name: 'email-confirmation-token',
    maxAge: LIFETIME.veryShort,
    httpOnly: true,
    perFlow: true,
  },
  registrationRequiresSignIn: { name: 'registration-requires-sign-in', maxAge: LIFETIME.day, httpOnly: false },
  /** A longer callback is only in `callbackUrl`, which another tab can overwrite. */
  oidcOriginalCallback: { name: 'oidc_original_callback_url', maxAge: LIFETIME.hour, httpOnly: false, maxBytes: 512 },
  ssoLoginInit: { name: 'sso-login-init', maxAge: LIFETIME.veryShort, httpOnly: false, maxBytes: 128 },
  /** The campaigns that led here (docs/product.md#data). */
  campaign: { name: 'kktc', maxAge: LIFETIME.max, httpOnly: false, maxBytes: 768 },
  legacyUserStatus: { name: 'legacy-user-status', maxAge: LIFETIME.week, httpOnly: false },
  marketingConsent: { name: 'marketing-consent', maxAge: LIFETIME.max, httpOnly: false, devicePreference: true },
  lessonSidebarHidden: { name: 'lesson-sidebar-hidden', maxAge: LIFETIME.max, httpOnly: false },
  /**
   * Not in the specification: this is a shared computer. Cookies set from then on are deleted when the browser closes, but for those
   * that scripts set for at most 15 minutes.
   */
  sharedComputer: { name: 'shared-computer', maxAge: null, httpOnly: false },
  /** Not in the specification: the mobile app's request, kept while the learner signs in and selects an account. */
  mobileRequest: { name: 'mobile-request', maxAge: LIFETIME.veryShort, httpOnly: true, maxBytes: 896 },
  /**
   * Not in the specification: the encrypted code of an email link while it is processed; it never appears in a URL (docs/adr/0009).
   */
  emailAction: { name: 'email-action', maxAge: LIFETIME.veryShort, httpOnly: true, maxBytes: 1_536 },
  /** Not in the specification: encrypted list of the email addresses that have signed in with this browser (docs/adr/0006). */
  knownBrowser: { name: 'known-browser', maxAge: LIFETIME.browser, httpOnly: true },
  /** Not in the specification: written and removed immediately to test whether this browser accepts cookies. */
  probe: { name: 'cookie-probe', maxAge: 60, httpOnly: false },
  /** Not in the specification: timestamps of the latest automatic redirects to the platform, for redirect loop detection. */
  callbackBounces: { name: 'callback-bounces', maxAge: 30, httpOnly: false, maxBytes: 64 },
} as const satisfies Record<string, CookieSpec>;

export type CookieKey = keyof typeof cookieTable;
/** Cookies of which a browser has one for each flow. */
export type FlowCookieKey = {
  [K in CookieKey]: (typeof cookieTable)[K] extends { perFlow: true } ? K : never;
}[CookieKey];

export const flowCookies = [
  'emailConfirmationToken',
  'passwordReset',
  'signInEmail',
] as const satisfies FlowCookieKey[];

/**
 * Encodes a cookie's value: only characters that a cookie cannot contain (RFC 6265, section 4.1.1), and the percent sign.
 * Encoding all reserved characters, as `encodeURIComponent` does, would make a URL up to three times as long. `js-cookie`
 * encodes in the same way.
 */
export function encodeCookieValue(value: string): string {
  return value.replaceAll(/[^!#$&-+\--:<-[\]-~]+/g, encodeURIComponent);
}

/** Whether the encoded value is within the size that the table allows. */
export function fitsCookie(key: CookieKey, value: string): boolean {
  const { maxBytes = Infinity }: CookieSpec = cookieTable[key];
  return encodeCookieValue(value).length <= maxBytes;
}

/** Name of the cookie of one flow. */
export function getFlowCookieName(key: FlowCookieKey, flow: string): string {
  return `${cookieTable[key].name}-${flow}`;
}

/** Every cookie with personal data: all but the device preferences. */
export function personalCookies(): CookieKey[] {
  const specs: [string, CookieSpec][] = Object.entries(cookieTable);
  return specs.filter(([, { devicePreference }]) => !devicePreference).map(([key]) => key as CookieKey);
}

/** `Domain` attribute for our cookies: browsers reject `localhost` as a domain, so it is omitted there. */
export function cookieDomain(mainDomain: string): string | undefined {
  return mainDomain === 'localhost' ? undefined : mainDomain;
}
