import type { SessionStatus } from '@/lib/session/contract';

/** A session that was live when it was checked. */
export type LiveSession = {
  /** Stable, public name of the session; also the value of `kk_sid`. */
  sid: string;
  status: SessionStatus;
  /** When the person last proved who they are, seconds since 1970; null when the backend does not tell. */
  authTime: number | null;
  emailVerified: boolean | null;
  /** Custom claims of the account; empty when the backend does not tell. */
  claims: Record<string, unknown>;
};

/** Where sessions live (product decisions, 3): `firebase`, or `upstream` at another identity deployment. */
export interface SessionBackend {
  /**
   * Opens a session.
   * @param token the identity provider's ID token
   * @returns `Set-Cookie` values for our main domain
   * @throws ApiProblem 401 for a token that cannot open one, 403 `email-not-verified`, 503 when the provider is away
   */
  create(token: string): Promise<string[]>;
  /** @throws ApiProblem 401 for anything but a live session, 503 when that cannot be decided */
  check(cookie: string): Promise<LiveSession>;
  /** Ends a session for good; nothing happens when there was none. @throws ApiProblem 503 */
  end(cookie: string): Promise<void>;
}
