import type * as OidcLibrary from 'oidc-provider';
import type { Provider } from 'oidc-provider';
import { AsyncLocalStorage } from 'node:async_hooks';
import crypto from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { digest } from '@/lib/server/runtime';
import type { StoredAccount } from '@/lib/server/policy';
import { findAccountOfSession, type RecordedSession } from '@/lib/server/session';
import type { ApiProblem } from '@/lib/shared/problem';

/** Paths below the issuer: the library's, and our own `interaction`. Requests for other paths get 404. */
export const OIDC_ROUTES = {
  discovery: '/.well-known/openid-configuration',
  authorization: '/authorize',
  token: '/token',
  userinfo: '/userinfo',
  jwks: '/jwks',
  revocation: '/revoke',
  end_session: '/logout',
  signedOut: '/signed-out',
} as const;
export type OidcRoute = keyof typeof OIDC_ROUTES | 'resume' | 'interaction';

/**
 * Reads the id in the path of an interaction below the issuer, or null for another path. The rule for callbacks knows
 * the path's form (lib/shared/callback/rules.ts).
 */
export function readInteractionId(path: string): string | null {
  return /^\/interaction\/([\w-]{43})\/courses\/[a-z\d-]+$/.exec(path)?.[1] ?? null;
}

/** Returns the id of the authorization request that a path continues. @returns null for other paths */
export function getFlowId(path: string): string | null {
  return /\/(?:authorize|interaction)\/([\w-]{43})(?=\/|$)/.exec(path)?.[1] ?? null;
}

/**
 * Path of the discovery document for OAuth 2.0 clients (RFC 8414). Section 3 of that RFC also puts it before the
 * issuer's path (lib/shared/paths.ts).
 */
const OAUTH_METADATA = '/.well-known/oauth-authorization-server';

/** @param path below the issuer, without query @returns null for an unknown path */
export function findRoute(path: string): OidcRoute | null {
  if (path === OAUTH_METADATA) return 'discovery';
  const found = Object.entries(OIDC_ROUTES).find(([, known]) => known === path);
  if (found) return found[0] as OidcRoute;
  if (/^\/authorize\/[\w-]{43}$/.test(path)) return 'resume';
  return readInteractionId(path) === null ? null : 'interaction';
}

export type Library = typeof OidcLibrary;

/** The library's server, and its handler of requests. */
export type OidcServer = { provider: Provider; library: Library; handle: ReturnType<Provider['callback']> };

/** Whether Node.js has the functions that the library calls: from 20.12 or 22.1 on, depending on the release line. */
export function isRuntimeSufficient(): boolean {
  return 'parse' in URL && 'hash' in crypto;
}

/** The request that the library's callbacks work for. */
export type OidcRequest = {
  req: IncomingMessage;
  res: ServerResponse;
  route: OidcRoute;
  /** Path on this host, without query. */
  path: string;
  /** The client's network address. */
  address: string;
  session: RecordedSession | null;
  /**
   * How the user of the session, code or token signed in. Null without a session, and for a token from before
   * 2026-11-26.
   */
  signIn: RecordedSession['signIn'] | null;
  /** Our own failure behind a response of the library, for its status and `Retry-After`. Null if there is none. */
  problem: ApiProblem | null;
  /** The fault of the parameters, which the library does not check. Null if there is none. */
  fault: string | null;
  /** Clients whose limit has already counted this request. */
  counted: Set<string>;
  /** Accounts of the sessions behind this request's codes and tokens, by session id. */
  accounts: Map<string, Promise<StoredAccount | null>>;
};

/** Only the handler runs requests, so that its bundle has all of them. */
const storage = new AsyncLocalStorage<OidcRequest>();

export function runWithOidcRequest<T>(request: OidcRequest, work: () => Promise<T>): Promise<T> {
  return storage.run(request, work);
}

export function getOidcRequest(): OidcRequest {
  const request = storage.getStore();
  if (!request) throw new Error('The library was called outside of a request');
  return request;
}

/** Finds the account of the session behind a code or token, once per request (`findAccountOfSession`). */
export function findAccountOnce(sessionId: string): Promise<StoredAccount | null> {
  const { accounts, signIn } = getOidcRequest();
  const account = accounts.get(sessionId) ?? findAccountOfSession(sessionId, signIn);
  accounts.set(sessionId, account);
  return account;
}

/**
 * Returns a client's id of a session. It is the same in concurrent requests, and cannot be guessed, because the
 * session's id is random and stays on the server.
 */
export function getSid(sessionId: string, clientId: string): string {
  return digest(`oidc-sid\n${sessionId}\n${clientId}`);
}

/** Returns the id of the only grant that a session has for a client. */
export function getGrantId(sessionId: string, clientId: string): string {
  return digest(`oidc-grant\n${sessionId}\n${clientId}`);
}
