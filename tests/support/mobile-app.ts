import { stringifyCookie } from 'cookie';
import { getAppName, packMobileRequest, parseMobileRequest } from '@/lib/server/session/mobile';
import { post, type Answer } from './client';

/** A mobile app's request: its cookie's value, and what its page names it by. @param address the URL that the mobile app opens */
export function keepMobileRequest(address: string | URL): { cookie: string; name: string } {
  const request = parseMobileRequest(Object.fromEntries(new URL(address).searchParams));
  if (!request) throw new Error('The request of the test client was refused');
  return { cookie: packMobileRequest(request), name: getAppName(request) };
}

/**
 * Authorizes a mobile app's request, as the page does when the learner selects "Continue as".
 * @param origin of this app
 * @param address the URL that the mobile app opens
 * @param session the session cookie's value
 * @param others cookies that the browser has besides, as `name=value`
 */
export async function authorizeMobileApp(
  origin: string,
  address: string | URL,
  session: string,
  headers: Record<string, string | null> = {},
  others: readonly string[] = [],
): Promise<Answer> {
  const request = keepMobileRequest(address);
  const cookie = stringifyCookie({ '_secure-user-session': session, 'mobile-request': request.cookie });
  return post(`${origin}/api/mobile/authorize`, {
    body: { request: request.name },
    headers: { cookie: [cookie, ...others].join('; '), ...headers },
  });
}
