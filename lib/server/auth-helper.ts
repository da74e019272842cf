import type { NextApiHandler, NextApiRequest, NextApiResponse } from 'next';
import { ApiProblem } from '@/lib/api/problem';
import { authHelperOrigin, env } from '@/lib/config/env';
import { answering } from './api';
import { clientAddress } from './client-address';
import { checkAnnouncedLength, readBytes } from './http/body';
import { consume } from './limits';
import { providerUnavailable } from './session/provider-errors';

/** How long the helper's home may take, in milliseconds, and how long an answer that a provider posts may be, in bytes. */
const PATIENCE = 10_000;
const MAX_POST = 512 * 1024;

/** Of the request and of the answer only these are passed on: no cookie of ours leaves, none of theirs arrives. */
const ASKED = ['accept', 'accept-language', 'content-type', 'user-agent'] as const;
const ANSWERED = ['content-type', 'cache-control', 'etag', 'last-modified', 'location'] as const;

/** An answer that has arrived whole. */
type HelperAnswer = { answer: Response; body: Buffer };

/**
 * Passes the identity provider's sign-in helper on from our own host, so that provider sign-in works in browsers that
 * keep third parties from their storage (docs/adr/0010).
 */
export const passOnAuthHelper: NextApiHandler = async (req, res) => {
  await answering(req, res, async () => {
    await consume('auth-helper', clientAddress(req));
    if (req.method !== 'GET' && req.method !== 'HEAD' && req.method !== 'POST') {
      res.setHeader('allow', 'GET, HEAD, POST');
      throw new ApiProblem('method-not-allowed');
    }
    send(res, await ask(req, addressOf(req)));
  });
};

function addressOf(req: NextApiRequest): URL {
  const home = authHelperOrigin();
  const [room = '', ...rest] = [req.query.path ?? []].flat();
  // Plain names only: nothing that a parser would read as another host or climb with.
  const isPlain = rest.length > 0 && rest.every((part) => /^[\w-][\w.-]*$/.test(part));
  if (home === null || (room !== 'auth' && room !== 'firebase') || !isPlain) throw new ApiProblem('not-found');
  const address = new URL(`/__/${room}/${rest.join('/')}`, home);
  address.search = new URL(req.url ?? '/', home).search;
  return address;
}

async function ask(req: NextApiRequest, address: URL): Promise<HelperAnswer> {
  const headers = new Headers(ASKED.flatMap((name) => [[name, [req.headers[name] ?? []].flat().join(',')] as [string, string]]).filter(([, value]) => value !== '')); // prettier-ignore
  const init: RequestInit = { method: req.method ?? 'GET', headers, redirect: 'manual', signal: AbortSignal.timeout(PATIENCE) }; // prettier-ignore
  if (req.method === 'POST') {
    checkAnnouncedLength(req, MAX_POST);
    init.body = new Uint8Array(await readBytes(req, MAX_POST));
  }
  try {
    const answer = await fetch(address, init);
    return { answer, body: Buffer.from(await answer.arrayBuffer()) };
  } catch (error) {
    throw providerUnavailable(error);
  }
}

function send(res: NextApiResponse, { answer, body }: HelperAnswer): void {
  res.statusCode = answer.status;
  for (const name of ANSWERED) {
    const value = answer.headers.get(name);
    if (value !== null) res.setHeader(name, value);
  }
  const { NEXT_PUBLIC_MAIN_DOMAIN: domain } = env();
  res.setHeader(
    'content-security-policy',
    `base-uri 'none'; object-src 'none'; frame-ancestors 'self' https://${domain} https://*.${domain}`,
  );
  res.end(body);
}
