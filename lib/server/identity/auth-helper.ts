import type { NextApiHandler, NextApiRequest, NextApiResponse } from 'next';
import { ApiProblem } from '@/lib/shared/problem';
import { getAuthHelperOrigin, env, getClientAddress, getTraceHeaders } from '@/lib/server/runtime';
import { handleErrors, assertContentLength, readBytes } from '@/lib/server/http';
import { consumeLimit } from '@/lib/server/storage';
import { providerUnavailable } from './admin';
import { abortAfter } from '@/lib/shared/time-limit';

/** Timeout of the upstream helper, in milliseconds, and maximum size of a response that a provider posts, in bytes. */
const REQUEST_TIMEOUT_MS = 10_000;
const MAX_BODY_BYTES = 512 * 1024;

/** Only these headers are forwarded, so our cookies are not sent upstream, and upstream cookies are not accepted. */
const REQUEST_HEADERS = ['accept', 'accept-language', 'content-type', 'user-agent'] as const;
const RESPONSE_HEADERS = ['content-type', 'cache-control', 'etag', 'last-modified', 'location'] as const;

/**
 * The helper's files, as Firebase lists them for self-hosting. No other path is proxied. On our origin, the helper's
 * `auth/action` would redeem emailed codes without our /actions.
 */
const HELPER_PATHS: ReadonlySet<string> = new Set([
  ...['auth/handler', 'auth/handler.js', 'auth/iframe', 'auth/iframe.js', 'auth/experiments.js'],
  'firebase/init.json',
]);

type HelperResponse = { response: Response; body: Buffer };

/**
 * Proxies the identity provider's sign-in helper on our own host, so that provider sign-in works in browsers that block
 * third-party storage (docs/adr/0010).
 */
export const proxyAuthHelper: NextApiHandler = async (req, res) => {
  await handleErrors(req, res, async () => {
    await consumeLimit('auth-helper', getClientAddress(req));
    if (req.method !== 'GET' && req.method !== 'HEAD' && req.method !== 'POST') {
      res.setHeader('allow', 'GET, HEAD, POST');
      throw new ApiProblem('method-not-allowed');
    }
    send(res, await fetchUpstream(req, getUpstreamUrl(req)));
  });
};

function getUpstreamUrl(req: NextApiRequest): URL {
  const home = getAuthHelperOrigin();
  const path = [req.query.path ?? []].flat().join('/');
  if (home === null || !HELPER_PATHS.has(path)) throw new ApiProblem('not-found');
  const address = new URL(`/__/${path}`, home);
  address.search = new URL(req.url ?? '/', home).search;
  return address;
}

async function fetchUpstream(req: NextApiRequest, address: URL): Promise<HelperResponse> {
  const headers = new Headers(getTraceHeaders());
  for (const name of REQUEST_HEADERS) if (req.headers[name]) headers.set(name, req.headers[name]);
  const init: RequestInit = {
    method: req.method ?? 'GET',
    headers,
    redirect: 'manual',
    signal: abortAfter(REQUEST_TIMEOUT_MS),
  };
  if (req.method === 'POST') {
    assertContentLength(req, MAX_BODY_BYTES);
    init.body = new Uint8Array(await readBytes(req, MAX_BODY_BYTES));
  }
  try {
    const response = await fetch(address, init);
    return { response, body: Buffer.from(await response.arrayBuffer()) };
  } catch (error) {
    throw providerUnavailable(error);
  }
}

function send(res: NextApiResponse, { response, body }: HelperResponse): void {
  res.statusCode = response.status;
  for (const name of RESPONSE_HEADERS) {
    const value = response.headers.get(name);
    if (value !== null) res.setHeader(name, value);
  }
  const { NEXT_PUBLIC_MAIN_DOMAIN: domain } = env();
  res.setHeader(
    'content-security-policy',
    `base-uri 'none'; object-src 'none'; frame-ancestors 'self' https://${domain} https://*.${domain}`,
  );
  res.end(body);
}
