import { NextResponse, type NextRequest } from 'next/server';

/** Gives every request an id that logs, error reports and support can share. */
export function middleware(request: NextRequest): NextResponse {
  const headers = new Headers(request.headers);
  const id = crypto.randomUUID();
  headers.set('x-request-id', id);
  const response = NextResponse.next({ request: { headers } });
  response.headers.set('x-request-id', id);
  return response;
}

export const config = { matcher: ['/((?!_next/static|favicon.ico).*)'] };
