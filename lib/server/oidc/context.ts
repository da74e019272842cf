import type * as OidcLibrary from 'oidc-provider';
import type { Provider } from 'oidc-provider';
import { AsyncLocalStorage } from 'node:async_hooks';
import crypto from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { digest, processWide } from '@/lib/server/runtime';
import type { StoredAccount } from '@/lib/server/policy';
import { findAccountOfSession, type RecordedSession } from '@/lib/server/session';
import type { ApiProblem } from '@/lib/shared/problem';

/** Paths below the issuer: the library's, and our own `interaction`. Nothing else is answered. */
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

/** Of the path of an interaction, below the issuer; null for another one. The rule for callbacks has its shape (lib/shared/callback/rules.ts). */
export function readInteractionId(path: string): string | null {
  return /^\/interaction\/([\w-]{43})\/courses\/[a-z\d-]+$/.exec(path)?.[1] ?? null;
}

/** The id of the authorization request that a path goes on with. @returns null for other paths */
export function getFlowId(path: string): string | null {
  return /\/(?:authorize|interaction)\/([\w-]{43})(?=\/|$)/.exec(path)?.[1] ?? null;
}

/** The same document for clients of OAuth 2.0 (RFC 8414); RFC 8414, section 3, has it in front of the issuer's path, too (lib/shared/paths.ts). */
const OAUTH_METADATA = '/.well-known/oauth-authorization-server';

/** @param path below the issuer, without query; null for an unknown one */
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

/** What the library calls, and Node.js has from 20.12 or 22.1 on, depending on the release line. */
export function isRuntimeSufficient(): boolean {
  return 'parse' in URL && 'hash' in crypto;
}

/** What the library's callbacks know of the request that they work for. */
export type OidcRequest = {
  req: IncomingMessage;
  res: ServerResponse;
  route: OidcRoute;
  /** On this host, without query. */
  path: string;
  /** Of the client. */
  address: string;
  session: RecordedSession | null;
  /** How the user of the session, or of the code or token that is shown, signed in; null without one, and of a token from before 2026-11-26. */
  signIn: RecordedSession['signIn'] | null;
  /** Why the answer is a failure of ours, which the library does not know: for its status and `Retry-After`. */
  problem: ApiProblem | null;
  /** What is wrong with the parameters, which the library does not judge; null: nothing. */
  fault: string | null;
  /** Clients whose limit has counted this request. */
  counted: Set<string>;
  /** Of the sessions that codes and tokens of this request came from, by their ids. */
  accounts: Map<string, Promise<StoredAccount | null>>;
};

const storage = () => processWide('oidc-request', () => new AsyncLocalStorage<OidcRequest>());

export function runWithOidcRequest<T>(request: OidcRequest, work: () => Promise<T>): Promise<T> {
  return storage().run(request, work);
}

export function getOidcRequest(): OidcRequest {
  const request = storage().getStore();
  if (!request) throw new Error('The library was called outside of a request');
  return request;
}

/** The account of the session that a code or token came from, as `findAccountOfSession`: asked for once in a request. */
export function findAccountOnce(sessionId: string): Promise<StoredAccount | null> {
  const { accounts, signIn } = getOidcRequest();
  const account = accounts.get(sessionId) ?? findAccountOfSession(sessionId, signIn);
  accounts.set(sessionId, account);
  return account;
}

/** What a client knows a session by. The same in concurrent requests, and not to be guessed: the session's id is random and stays here. */
export function getSid(sessionId: string, clientId: string): string {
  return digest(`oidc-sid\n${sessionId}\n${clientId}`);
}

/** A session has one grant for a client. */
export function getGrantId(sessionId: string, clientId: string): string {
  return digest(`oidc-grant\n${sessionId}\n${clientId}`);
}
