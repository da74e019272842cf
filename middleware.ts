import { NextResponse, type NextRequest } from 'next/server';
import { cookieTable } from '@/lib/shared/cookie-table';
import { isVisitParameter } from '@/lib/shared/i18n/languages';
import { PAGE_QUERY_HEADER, getRequestId } from '@/lib/shared/request-headers';
import { getExternalRoute, paths, queryNames, sessionPages, wellKnownPaths } from '@/lib/shared/paths';

/**
 * Pages that contain no personal data without a session, so that shared caches may store them (docs/deploy/README.md).
 */
const PUBLIC_PAGES: readonly string[] = [
  ...[paths.signIn, paths.emailLink, paths.enterprise, paths.linkAccount],
  ...[paths.registration, paths.forgetPassword, paths.appShell, paths.selfCheck],
];

/**
 * Gives every page request an id for logs, error reports and support, and redirects anonymous visitors from session
 * pages. API routes, including the paths of `getExternalRoute`, create their own id (lib/server/http/api-route.ts).
 * Middleware would make the session check 50% slower.
 */
export function middleware(request: NextRequest): NextResponse {
  return toRoute(request) ?? withId(request);
}

function withId(request: NextRequest): NextResponse {
  const id = getRequestId(request.headers.get('x-request-id'), isBehindProxy());
  const headers = new Headers(request.headers);
  headers.set('x-request-id', id);
  headers.delete(PAGE_QUERY_HEADER);
  const response =
    toPage(request) ??
    toPasswordChange(request) ??
    signInFirst(request) ??
    withoutQuery(request, headers) ??
    NextResponse.next({ request: { headers } });
  response.headers.set('x-request-id', id);
  return response;
}

/**
 * Repeats the rule of API routes (lib/server/runtime/observability/request-context.ts), which this runtime cannot
 * import.
 */
function isBehindProxy(): boolean {
  // oxlint-disable-next-line no-restricted-properties -- validated by the Node.js process
  return Number(process.env.TRUSTED_PROXY_HOPS) > 0;
}

function toRoute(request: NextRequest): NextResponse | null {
  const route = getExternalRoute(request.nextUrl.pathname);
  if (route === null) return null;
  const address = request.nextUrl.clone();
  address.pathname = route;
  return NextResponse.rewrite(address);
}

/** Handles the bare host, and a page's path in other letter case, because people type these. */
function toPage(request: NextRequest): NextResponse | null {
  const { pathname } = request.nextUrl;
  const typed = pathname.toLowerCase();
  const page = typed === '/' ? paths.signIn : Object.values<string>(paths).find((path) => path === typed);
  return page === undefined || page === pathname ? null : redirect(request, page);
}

/** Password managers open this address to change a password. Accounts without a password see their sign-in methods. */
function toPasswordChange(request: NextRequest): NextResponse | null {
  return request.nextUrl.pathname === wellKnownPaths.changePassword ? redirect(request, paths.security, [], 303) : null;
}

/**
 * Redirects to sign-in if there is no session cookie, with the name of the page to return to
 * (docs/product.md#callbacks). The page itself verifies the session.
 */
function signInFirst(request: NextRequest): NextResponse | null {
  const { pathname } = request.nextUrl;
  // This page stores the mobile app's request itself before it redirects to sign-in.
  if (pathname === paths.mobileAccountSelection) return null;
  const page = Object.entries(sessionPages).find(([, path]) => pathname === path || pathname.startsWith(`${path}/`));
  if (!page || hasSessionCookie(request)) return null;
  // The rest of the query belongs to the page, which reopens without it.
  const kept = [...request.nextUrl.searchParams].filter(([name]) => isVisitParameter(name));
  return redirect(request, paths.signIn, [[queryNames.returnTo, page[0]], ...kept]);
}

/** If several cookies have this name, `request.cookies` has only the last, which may be empty. */
const SESSION_COOKIE = new RegExp(`(?:^|[; ])${cookieTable.session.name}=[^; ]`);

function hasSessionCookie(request: NextRequest): boolean {
  return SESSION_COOKIE.test(request.headers.get('cookie') ?? '');
}

/**
 * Renders a page that shared caches may store without its query, because the framework would write the query into the
 * page. The data that in-app navigation fetches does not contain the query.
 */
function withoutQuery(request: NextRequest, headers: Headers): NextResponse | null {
  const { pathname, search } = request.nextUrl;
  if (search === '' || !PUBLIC_PAGES.includes(pathname) || hasSessionCookie(request)) return null;
  if (request.headers.has('x-nextjs-data')) return null;
  headers.set(PAGE_QUERY_HEADER, search);
  const address = request.nextUrl.clone();
  address.search = '';
  return NextResponse.rewrite(address, { request: { headers } });
}

/** @param query replaces the request's query */
function redirect(request: NextRequest, pathname: string, query?: [string, string][], status = 307): NextResponse {
  const address = request.nextUrl.clone();
  address.pathname = pathname;
  if (query) address.search = new URLSearchParams(query).toString();
  const response = NextResponse.redirect(address, status);
  response.headers.set('cache-control', 'no-store');
  return response;
}

export const config = { matcher: ['/((?!_next/static|favicon.ico|api/).*)'] };
