import { NextResponse, type NextRequest } from 'next/server';
import { cookieTable } from '@/lib/cookies/table';
import { paths, queryNames, sessionPages } from '@/lib/paths';

/**
 * Gives every request an id that logs, error reports and support can share, and keeps anonymous visitors off session
 * pages. API routes give themselves one (lib/server/api.ts): the session check would take half as long again by this way.
 */
export function middleware(request: NextRequest): NextResponse {
  return toRoute(request) ?? withId(request);
}

function withId(request: NextRequest): NextResponse {
  const id = crypto.randomUUID();
  const headers = new Headers(request.headers);
  headers.set('x-request-id', id);
  const response = signInFirst(request) ?? NextResponse.next({ request: { headers } });
  response.headers.set('x-request-id', id);
  return response;
}

function toRoute(request: NextRequest): NextResponse | null {
  const route = routeOf(request.nextUrl.pathname);
  if (route === null) return null;
  const address = request.nextUrl.clone();
  address.pathname = route;
  return NextResponse.rewrite(address);
}

/**
 * Addresses that others chose, and the routes that answer them. They stand here because rewrites in the framework's
 * configuration are sent to every browser, with all that can read them.
 */
function routeOf(pathname: string): string | null {
  // Error and replay traffic keeps the address of the specification.
  if (pathname === '/monitoring') return '/api/monitoring';
  // The identity provider's sign-in helper, on our own host (docs/adr/0010).
  const helper = /^\/__\/((?:auth|firebase)(?:\/.*)?)$/.exec(pathname);
  return helper ? `/api/auth-helper/${helper[1] ?? ''}` : null;
}

/** Whether the session is live is the page's own question; without a cookie there is none (product decisions, 5). */
function signInFirst(request: NextRequest): NextResponse | null {
  const { pathname } = request.nextUrl;
  // What the mobile app asks for is kept by the page itself before it sends anybody to sign-in.
  if (pathname === paths.mobileAccountSelection) return null;
  const page = Object.entries(sessionPages).find(([, path]) => pathname === path || pathname.startsWith(`${path}/`));
  if (!page || request.cookies.get(cookieTable.session.name)?.value) return null;
  const address = request.nextUrl.clone();
  address.pathname = paths.signIn;
  // Where a campaign led stays known; the rest of the query is the page's own and starts anew after sign-in.
  const campaign = [...request.nextUrl.searchParams].filter(([name]) => name.startsWith('utm_'));
  address.search = new URLSearchParams([[queryNames.returnTo, page[0]], ...campaign]).toString();
  const response = NextResponse.redirect(address, 307);
  response.headers.set('cache-control', 'no-store');
  return response;
}

export const config = { matcher: ['/((?!_next/static|favicon.ico|api/).*)'] };
