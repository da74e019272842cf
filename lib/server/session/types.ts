import type { SecondFactorRule } from '@/lib/shared/config/app-config';
import type { SocialProviderId } from '@/lib/shared/sign-in-methods';
import type { SessionStatus } from '@/lib/shared/session-contract';
import type { Factor, SignInEvidence } from '@/lib/server/policy';
import type { EmailContext } from '@/lib/server/notifications';
import type { ClientDescription } from '@/lib/server/runtime';
import type { SignInLanguage } from '@/lib/server/storage';

/** A browser as the records know it. `secret`: of its `device` cookie, null when it has none. */
export type Device = { secret: string | null };

/** How and when the user of a token or session signed in. Times in seconds since 1970. */
export type SignIn = Pick<SignInEvidence, 'provider' | 'method' | 'email' | 'authenticatedAt' | 'renewedAt'> & {
  factor: Factor | null;
};

/** A session that was live when it was checked. */
export type LiveSession = {
  /** Stable, public id of the session; also the value of `kk_sid`. */
  sid: string;
  status: SessionStatus;
  /** When the user last authenticated, seconds since 1970; null when the backend does not report it. */
  authTime: number | null;
  /** Since when the account's sessions are valid, seconds since 1970; null when the backend does not report it. */
  validSince: number | null;
  /** How its user signed in; null when the backend does not report it. */
  signIn: SignIn | null;
  /** Custom claims of the account; empty when the backend does not report them. */
  claims: Record<string, unknown>;
};

/** Context of the request for a session. */
export type SessionRequest = {
  /** Social providers enabled for the origin. @throws ApiProblem 503 when they cannot be determined */
  enabledSocial: () => Promise<ReadonlySet<SocialProviderId>>;
  /** What the origin says about the second factor; null: nothing, or its app config cannot be read. */
  secondFactorRule: () => Promise<SecondFactorRule | null>;
  /** How many factors the platform has asked for with `acr_values` (docs/integration.md#ask-for-two-factors). */
  requiredAssurance: 1 | 2;
  /** Brand and links of an email that creating the session may cause. */
  emailContext: () => Promise<EmailContext>;
  /** Of the learner; null where there is one, or nothing says it. */
  language: SignInLanguage | null;
  /** For the account's security events. */
  client: () => ClientDescription;
  /** Counts the call by its browser, if the email has signed in there. @throws ApiProblem `too-many-requests` */
  countKnownBrowser: (email: string) => Promise<boolean>;
  /** Session cookie of the browser, genuine or not; null when it has none. */
  sessionCookie: string | null;
  /** The browser, as the records know it. */
  device: Device;
  /** Secret of a sign-in of this browser that waits for its second factor; null when none does. */
  pendingSignIn: string | null;
  /** Whether the origin lets browsers be remembered; never a shared computer. */
  allowsRemembering: () => Promise<boolean>;
};

/** The user of a session. */
export type SessionUser = { uid: string; email?: string; displayName?: string };

/**
 * `announcedFrom`: the day from which its user needs a second factor, which this sign-in did not show, `YYYY-MM-DD`; `deletionAt`: when the account
 * that was signed in to is deleted, RFC 3339; `cookies`: `Set-Cookie` values for our main domain; `email` of the account, null when the backend does not report it; `user`: null
 * when the accounts are at another deployment.
 */
export type CreatedSession = {
  cookies: string[];
  email: string | null;
  user: SessionUser | null;
  announcedFrom: string | null;
  deletionAt: string | null;
};

/** Where sessions are managed (docs/product.md#session): `firebase`, or `upstream` at another identity deployment. */
export interface SessionBackend {
  /**
   * Opens a session for a sign-in.
   * @param token the identity provider's ID token
   * @param request request context for the account policy and emails
   * @param unverifiedPasskey the passkey that signs in, if the second factor of this sign-in makes its user verification count; its id in
   *   the records
   * @throws ApiProblem when no session is opened. 401: the token cannot create one. 403 `recent-login-required`: the sign-in is older than 5
   *   minutes, and the browser has no session of it. 403 `email-missing`,
   *   `provider-not-allowed` and 422 `invalid-enterprise-domain`: the account policy refuses. 403 `email-not-verified`,
   *   `legacy-reset-required`, `legacy-sign-in-required`, `second-factor-required`, `second-factor-setup-required`: it requires a step
   *   first. 503: the provider is unavailable, or a second factor is required where none can be had
   */
  open(token: string, request: SessionRequest, unverifiedPasskey?: string | null): Promise<CreatedSession>;
  /**
   * Opens the session of a sign-in whose user has just shown its second factor.
   * @param token an ID token of both factors, which has not left our server
   * @param remembersBrowser whether the user has chosen that this browser is remembered
   * @throws ApiProblem as `open`
   */
  completeSignIn(token: string, request: SessionRequest, remembersBrowser: boolean): Promise<CreatedSession>;
  /**
   * Replaces the session of the same browser, after our server has verified the user once more: no sign-in is recorded, and no more factors
   * are needed than for the original session.
   * @param token one that our server has just made, and that has not left it
   * @throws ApiProblem as `open`
   */
  replace(token: string, request: SessionRequest): Promise<CreatedSession>;
  /**
   * Renews the session of the request's cookie from its record, for the browser that it was opened in.
   * @throws ApiProblem 401; 403 `recent-login-required` for another browser; 404 when only an ID token can renew it: without
   *   records, at another deployment, and for a session without a record; 503
   * @param shown a second factor that the user has just shown, which the session gets
   */
  renew(cookie: string, request: SessionRequest, shown?: Factor): Promise<CreatedSession>;
  /**
   * A copied session cookie makes no change of the account, nor by it a session of another browser, of which its owner would not be told.
   * @param uid of the session, which was checked just now
   * @returns its id in the records; null without one
   * @throws ApiProblem `recent-login-required` for a session of another browser
   */
  requireOwnBrowser(uid: string, request: Pick<SessionRequest, 'sessionCookie' | 'device'>): Promise<string | null>;
  /**
   * @param options `uncached`: as it is now, for a change of the account; otherwise as it was within the last 20 s
   * @returns at once where nothing has to be asked
   * @throws ApiProblem 401 for anything but a live session, 503 when that cannot be decided
   */
  check(cookie: string, options?: { uncached?: boolean }): LiveSession | Promise<LiveSession>;
  /**
   * Ends a session permanently; does nothing when there was none.
   * @param device of the browser that signs out: no session of it goes on
   * @returns the account of a session that this call ended; null when there was none or the backend does not report it
   * @throws ApiProblem 503
   */
  end(cookie: string, device?: Device): Promise<string | null>;
}
