/**
 * Every cookie this app sets: name, lifetime, and who may read it (specification, sections 3 and 9).
 * All are `Secure`, `SameSite=Lax`, `Path=/` and set on the main domain.
 */

/** Lifetimes in seconds. */
export const LIFETIME = {
  max: 5 * 365 * 86_400,
  session: 432_000,
  week: 7 * 86_400,
  day: 86_400,
  hour: 3_600,
  veryShort: 15 * 60,
} as const;

/** `maxAge` in seconds; null: until the browser is closed. */
type CookieSpec = { name: string; maxAge: number | null; httpOnly: boolean };

export const cookieTable = {
  session: { name: '_secure-user-session', maxAge: LIFETIME.session, httpOnly: true },
  loggedIn: { name: 'kk_logged_in', maxAge: LIFETIME.session, httpOnly: false },
  accessLevel: { name: 'kk_user_access_level', maxAge: LIFETIME.session, httpOnly: false },
  userId: { name: 'kk_uid', maxAge: LIFETIME.session, httpOnly: false },
  sessionId: { name: 'kk_sid', maxAge: LIFETIME.session, httpOnly: false },
  clickId: { name: 'kk_clid', maxAge: LIFETIME.week, httpOnly: false },
  callbackUrl: { name: 'callbackUrl', maxAge: LIFETIME.day, httpOnly: false },
  directPurchase: { name: 'direct-purchase-token', maxAge: LIFETIME.day, httpOnly: false },
  signInEmail: { name: 'sign-in-email', maxAge: LIFETIME.day, httpOnly: false },
  passwordReset: { name: 'auth-password-reset', maxAge: LIFETIME.veryShort, httpOnly: true },
  passwordUpdate: { name: 'password-update', maxAge: LIFETIME.veryShort, httpOnly: false },
  emailConfirmation: { name: 'auth-email-confirmation', maxAge: LIFETIME.day, httpOnly: false },
  emailConfirmationToken: { name: 'email-confirmation-token', maxAge: LIFETIME.veryShort, httpOnly: true },
  registrationRequiresSignIn: { name: 'registration-requires-sign-in', maxAge: LIFETIME.day, httpOnly: false },
  oidcOriginalCallback: { name: 'oidc_original_callback_url', maxAge: LIFETIME.hour, httpOnly: false },
  ssoLoginInit: { name: 'sso-login-init', maxAge: LIFETIME.veryShort, httpOnly: false },
  campaign: { name: 'kktc', maxAge: LIFETIME.max, httpOnly: false },
  legacyUserStatus: { name: 'legacy-user-status', maxAge: LIFETIME.week, httpOnly: false },
  marketingConsent: { name: 'marketing-consent', maxAge: LIFETIME.max, httpOnly: false },
  lessonSidebarHidden: { name: 'lesson-sidebar-hidden', maxAge: LIFETIME.max, httpOnly: false },
  /** Ours: others use this computer, so that nothing outlives the browser's own session. */
  sharedComputer: { name: 'shared-computer', maxAge: null, httpOnly: false },
  /** Ours: what the mobile app asked for, while the learner signs in and picks an account. */
  mobileRequest: { name: 'mobile-request', maxAge: LIFETIME.veryShort, httpOnly: true },
  /** Ours: the code of an e-mail link, sealed, while it is looked at; it never stands in an address (docs/adr/0009). */
  emailAction: { name: 'email-action', maxAge: LIFETIME.veryShort, httpOnly: true },
  /** Ours: written and taken away again at once, to see whether this browser keeps cookies. */
  probe: { name: 'cookie-probe', maxAge: 60, httpOnly: false },
  /** Ours: times of the latest automatic hand-overs to the platform, for the loop guard. */
  callbackBounces: { name: 'callback-bounces', maxAge: 30, httpOnly: false },
} as const satisfies Record<string, CookieSpec>;

export type CookieKey = keyof typeof cookieTable;

/** `Domain` for our cookies: browsers refuse `localhost` as a domain, so there it is left out. */
export function cookieDomain(mainDomain: string): string | undefined {
  return mainDomain === 'localhost' ? undefined : mainDomain;
}
