/** The cookies that scripts of this app use. Browsers load only this part of the cookie table (`cookie-table.ts`). */

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

export type CookieSpec = {
  name: string;
  /** Lifetime in seconds. Null for a session cookie, which expires when the browser closes. */
  maxAge: number | null;
  /** Scripts cannot read it. */
  httpOnly?: true;
  /** The cookie has no `Domain`, so only this app's own host gets it, and not the platform's servers. */
  hostOnly?: true;
  /** The cookie describes the browser, not a user. "Sign out and clear this device" keeps it. */
  devicePreference?: true;
  /**
   * Each flow has its own cookie `{name}-{flow}`. The cookie with the plain name belongs to the newest flow
   * (docs/adr/0022).
   */
  perFlow?: true;
  /**
   * Maximum size of the encoded value in bytes, for a cookie that a plain link can make this app set. A larger value
   * deletes the cookie.
   */
  maxBytes?: number;
};

export const browserCookies = {
  loggedIn: { name: 'kk_logged_in', maxAge: LIFETIME.session },
  sessionId: { name: 'kk_sid', maxAge: LIFETIME.session },
  /** Click id of an advertisement, for analytics. Another site of the main domain sets it, and this app only reads it. */
  clickId: { name: 'kk_clid', maxAge: LIFETIME.week },
  callbackUrl: { name: 'callbackUrl', maxAge: LIFETIME.day, maxBytes: 2_048 },
  /** Not in the specification: the platform requests two factors together with the callback (docs/adr/0034). */
  acrValues: { name: 'acr_values', maxAge: LIFETIME.day, maxBytes: 8 },
  directPurchase: { name: 'direct-purchase-token', maxAge: LIFETIME.day, maxBytes: 1 },
  registrationRequiresSignIn: { name: 'registration-requires-sign-in', maxAge: LIFETIME.day },
  /** Does not hold a longer callback. That is only in `callbackUrl`, which another tab can overwrite. */
  oidcOriginalCallback: { name: 'oidc_original_callback_url', maxAge: LIFETIME.hour, maxBytes: 512 },
  ssoLoginInit: { name: 'sso-login-init', maxAge: LIFETIME.veryShort, maxBytes: 128 },
  /** The campaigns that led here (docs/product.md#data). */
  campaign: { name: 'kktc', maxAge: LIFETIME.max, maxBytes: 768 },
  legacyUserStatus: { name: 'legacy-user-status', maxAge: LIFETIME.week },
  marketingConsent: { name: 'marketing-consent', maxAge: LIFETIME.max, devicePreference: true },
  lessonSidebarHidden: { name: 'lesson-sidebar-hidden', maxAge: LIFETIME.max },
  /**
   * Not in the specification: marks a shared computer. Later cookies expire when the browser closes, except cookies that
   * scripts set for at most 15 minutes.
   */
  sharedComputer: { name: 'shared-computer', maxAge: null },
  /** Not in the specification: written and removed immediately to test whether this browser accepts cookies. */
  probe: { name: 'cookie-probe', maxAge: 60 },
  /** Not in the specification: timestamps of the latest automatic redirects to the platform, for redirect loop detection. */
  callbackBounces: { name: 'callback-bounces', maxAge: 30, maxBytes: 64 },
} as const satisfies Record<string, CookieSpec>;

export type BrowserCookieKey = keyof typeof browserCookies;

/**
 * Encodes a cookie's value. It encodes only the percent sign and characters that a cookie cannot contain (RFC 6265,
 * section 4.1.1). `encodeURIComponent` alone would make a URL up to three times as long. `js-cookie` encodes like this.
 */
export function encodeCookieValue(value: string): string {
  return value.replaceAll(/[^!#$&-+\--:<-[\]-~]+/g, encodeURIComponent);
}

/** Whether the encoded value is within the size that the table allows. */
export function fitsSpec({ maxBytes = Infinity }: CookieSpec, value: string): boolean {
  return encodeCookieValue(value).length <= maxBytes;
}

/** Returns the `Domain` attribute for our cookies, or none for `localhost`, because browsers reject that as a domain. */
export function cookieDomain(mainDomain: string): string | undefined {
  return mainDomain === 'localhost' ? undefined : mainDomain;
}
