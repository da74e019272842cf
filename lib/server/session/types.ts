import type { SecondFactorRule } from '@/lib/shared/config/app-config';
import type { SessionStatus } from '@/lib/shared/session-contract';
import type { EnabledIdentities, Factor, SignInEvidence } from '@/lib/server/policy';
import type { EmailContext } from '@/lib/server/notifications';
import type { ClientDescription } from '@/lib/server/runtime';
import type { LockedAccount } from '@/lib/server/storage';
import type { SignInLanguage } from './account-language';

/** A browser in the records. `secret`: of its `device` cookie, or null without that cookie. */
export type Device = { secret: string | null };

/** How and when the user of a token or session signed in. Times are in seconds since 1970. */
export type SignIn = Pick<SignInEvidence, 'provider' | 'method' | 'email' | 'authenticatedAt' | 'renewedAt'> & {
  factor: Factor | null;
};

/** A verified ID token or session cookie, whose claims are read once. Times are in seconds since 1970. */
export type VerifiedToken = {
  /** The signed token itself. It is a secret. */
  jwt: string;
  uid: string;
  signIn: SignIn;
  /** `sign_in_provider` of the token. `signIn.provider` differs for a session that our server renewed. */
  signInProvider: string;
  /** The provider's id of the identity that the sign-in has shown. Null for a password, which has none. */
  subject: string | null;
  issuedAt: number;
  /** When the token expires. */
  expiresAt: number;
  /** When its session ends. A derived session ends with its original session. */
  endsAt: number;
  /** Id of the session that its custom token was minted from. Null unless it is an exchanged custom token of ours. */
  root: string | null;
  /** Whether its custom token was minted for the mobile app. */
  isDerived: boolean;
  /**
   * Id that was created for its proof, which derived sessions share, such as the mobile app's. Null for derived
   * sessions, and if `root` is a cookie's id.
   */
  proofId: string | null;
  /** Whether its proof has completed the account's registration, in the browser that got the token. */
  registers: boolean;
};

/** A verified session cookie. `sid`: id of its session. `sids`: ids that end its session, with `root` last. */
export type VerifiedCookie = VerifiedToken & { sid: string; sids: string[] };

/** A session that was live when it was checked. */
export type LiveSession = {
  /** Stable public id of the session, and the value of `kk_sid`. */
  sid: string;
  status: SessionStatus;
  /** When the user last authenticated, in seconds since 1970. Null if the backend does not report it. */
  authTime: number | null;
  /** Since when the account's sessions are valid, in seconds since 1970. Null if the backend does not report it. */
  validSince: number | null;
  /** How its user signed in. Null if the backend does not report it. */
  signIn: SignIn | null;
  /** Custom claims of the account. Empty if the backend does not report them. */
  claims: Record<string, unknown>;
};

/** Context of the request for a session. */
export type SessionRequest = {
  /** Methods that the origin enables. @throws ApiProblem 503 if they cannot be determined */
  enabledIdentities: () => Promise<EnabledIdentities>;
  /** The origin's rule for the second factor. Null if it has none, or its app config cannot be read. */
  secondFactorRule: () => Promise<SecondFactorRule | null>;
  /** How many factors the platform requires by `acr_values` (docs/integration.md#ask-for-two-factors). */
  requiredAssurance: 1 | 2;
  /** Brand and links of an email that creating the session may cause. */
  emailContext: () => Promise<EmailContext>;
  /** The learner's language. Null if there is only one language, or nothing states it. */
  language: SignInLanguage | null;
  /** For the account's security events. */
  client: () => ClientDescription;
  /** Counts the call by its browser, if the email has signed in there. @throws ApiProblem `too-many-requests` */
  countKnownBrowser: (email: string) => Promise<boolean>;
  /** Session cookie of the browser, genuine or not. Null without a cookie. */
  sessionCookie: string | null;
  /** The browser in the records. */
  device: Device;
  /** Secret of this browser's sign-in that waits for its second factor. Null if there is none. */
  pendingSignIn: string | null;
  /** Whether the origin lets browsers be remembered. Never for a shared computer. */
  allowsRemembering: () => Promise<boolean>;
};

/** The user of a session. */
export type SessionUser = { uid: string; email?: string; displayName?: string };

/**
 * `announcedFrom`: the day from which its user needs a second factor that this sign-in did not show, `YYYY-MM-DD`.
 * `deletionAt`: when the account will be deleted, RFC 3339. `cookies`: `Set-Cookie` values for our main domain.
 * `email`: of the account, null if the backend does not report it. `user`: null if another deployment has the accounts.
 */
export type CreatedSession = {
  cookies: string[];
  email: string | null;
  user: SessionUser | null;
  announcedFrom: string | null;
  deletionAt: string | null;
};

/**
 * `remembersBrowser`: whether the user has chosen that this browser is remembered. `locked`: the account, if the step has changed it within
 * its lock.
 */
export type CompletedStep = { remembersBrowser: boolean; locked: LockedAccount | null };

/** Manages sessions (docs/product.md#session): `firebase`, or `upstream` at another identity deployment. */
export interface SessionBackend {
  /**
   * Opens a session for a sign-in.
   * @param token the identity provider's ID token
   * @param request request context for the account policy and emails
   * @param unverifiedPasskey the passkey of the sign-in, by its id in the records, if the second factor makes its user
   *   verification count
   * @throws ApiProblem if no session is opened. 401: the token cannot create a session. 403 `recent-login-required`:
   *   the sign-in is older than 5 minutes, and the browser has no session of it. 403 `email-missing`,
   *   `provider-not-allowed` and 422 `invalid-enterprise-domain`: the account policy refuses. 403 `email-not-verified`,
   *   `legacy-reset-required`, `legacy-sign-in-required`, `second-factor-required`, `second-factor-setup-required`: a
   *   step is required first. 503: the provider is unavailable, or a second factor is required but not offered
   */
  open(token: string, request: SessionRequest, unverifiedPasskey?: string | null): Promise<CreatedSession>;
  /**
   * Opens the session of a sign-in whose user has just shown its second factor.
   * @param token an ID token of both factors, which has not left our server
   * @throws ApiProblem a code of `open`
   */
  openWithSecondFactor(token: string, request: SessionRequest, step: CompletedStep): Promise<CreatedSession>;
  /**
   * Replaces the session of the same browser after our server has verified the user again. No sign-in is recorded, and
   * no more factors are needed than for the original session.
   * @param token a token that our server has just minted, and that has not left it
   * @param locked the account of the change that has ended the session
   * @throws ApiProblem a code of `open`
   */
  replace(token: string, request: SessionRequest, locked: LockedAccount): Promise<CreatedSession>;
  /**
   * Renews the session of the request's cookie from its record, for the browser that opened it.
   * @param shown a second factor that the user has just shown, which the session gets
   * @throws ApiProblem 401; 403 `recent-login-required` for another browser; 404 at another deployment, where only an
   *   ID token can renew it; 503
   */
  renew(cookie: string, request: SessionRequest, shown?: Factor): Promise<CreatedSession>;
  /**
   * Asserts that a session is used in its own browser. A copied session cookie must not change the account. Nor may a
   * change give another browser a session that the owner is not notified of.
   * @param uid of the session, which was just checked
   * @returns its id in the records, or null without a record
   * @throws ApiProblem `recent-login-required` for a session of another browser
   */
  requireOwnBrowser(uid: string, request: Pick<SessionRequest, 'sessionCookie' | 'device'>): Promise<string | null>;
  /**
   * Checks a session.
   * @param options `uncached`: uses the current state, for a change of the account; otherwise the state may be 20
   *   seconds old. `locked`: the account, if the caller has locked it
   * @returns synchronously if possible
   * @throws ApiProblem 401 unless the session is live, 503 if it cannot be decided
   */
  check(
    cookie: string,
    options?: { uncached: boolean } | { uncached: true; locked: LockedAccount },
  ): LiveSession | Promise<LiveSession>;
  /**
   * Ends a session permanently. Does nothing if there was none.
   * @param device the browser that signs out, none of whose sessions continues
   * @returns the account of the ended session; null if there was none or the backend does not report it
   * @throws ApiProblem 503
   */
  end(cookie: string, device?: Device): Promise<string | null>;
}
