import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ApiProblem } from '@/lib/shared/problem';
import type { OidcRoute } from './routes';
import { digest, processWide } from '@/lib/server/runtime';
import type { RecordedSession } from '@/lib/server/session';

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
  /** Why the answer is a failure of ours, which the library does not know: for its status and `Retry-After`. */
  problem: ApiProblem | null;
  /** Clients whose limit has counted this request. */
  counted: Set<string>;
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

/** What a client knows a session by. The same in concurrent requests, and not to be guessed: the session's id is random and stays here. */
export function getSid(sessionId: string, clientId: string): string {
  return digest(`oidc-sid\n${sessionId}\n${clientId}`);
}

/** A session has one grant for a client. */
export function getGrantId(sessionId: string, clientId: string): string {
  return digest(`oidc-grant\n${sessionId}\n${clientId}`);
}
