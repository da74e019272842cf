import { NextResponse } from 'next/server';
import { createIdentity } from './identity.mjs';

const identity = createIdentity({
  identityOrigin: getOrigin('IDENTITY_ORIGIN', 'http://localhost:3000'),
  ownOrigin: getOrigin('OWN_ORIGIN', 'http://localhost:3001'),
  timeoutMs: Number(process.env.IDENTITY_TIMEOUT_MS || 5_000),
});

/** @param {string} name of a variable, without which no page is served in production @param {string} demo */
function getOrigin(name, demo) {
  const origin = process.env[name] || (process.env.NODE_ENV === 'production' ? '' : demo);
  if (origin === '') throw new Error(`${name} is not set`);
  return origin;
}

/** Pages that need a learner. Each page listed here can rely on the header `x-learner`. */
export const config = { matcher: ['/dashboard/:path*'] };

/**
 * Checks the session before a page is rendered: only here can the App Router respond with a status of its own.
 * @param {import('next/server').NextRequest} request
 */
export async function proxy(request) {
  const session = await identity.getSession(request.headers.get('cookie') ?? undefined);
  const { basePath, pathname, search } = request.nextUrl;
  if (session.state === 'signed-out') {
    const path = basePath + pathname + search;
    const { body, ...rest } = identity.getSignedOutAnswer(request.method, path, (name) => request.headers.get(name));
    return noStore(new NextResponse(body, rest));
  }
  if (session.state === 'unknown') return noStore(new NextResponse(UNAVAILABLE_PAGE, UNAVAILABLE));
  const headers = new Headers(request.headers);
  // Replaces a header that the visitor sent.
  headers.set('x-learner', encodeURIComponent(JSON.stringify(session.learner)));
  return noStore(NextResponse.next({ request: { headers } }));
}

/** @param {NextResponse} response */
function noStore(response) {
  response.headers.set('cache-control', 'private, no-store');
  return response;
}

const UNAVAILABLE = { status: 503, headers: { 'content-type': 'text/html; charset=utf-8', 'retry-after': '5' } };
const UNAVAILABLE_PAGE = `<!doctype html><html lang="en"><title>We can't check your sign-in right now</title>
<h1>We can't check your sign-in right now</h1><p>You're still signed in. <a href="">Try again</a> in a moment.</p></html>`;
