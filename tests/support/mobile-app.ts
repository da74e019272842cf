import { stringifyCookie } from 'cookie';
import { getAppName, packMobileRequest, parseMobileRequest } from '@/lib/server/session/mobile';
import { getBrowserCookies, post, type Answer } from './client';

/**
 * Stores a mobile app's request. Returns the value of its cookie and the name that its page uses. @param address the
 * URL that the mobile app opens
 */
export function keepMobileRequest(address: string | URL): { cookie: string; name: string } {
  const request = parseMobileRequest(Object.fromEntries(new URL(address).searchParams));
  if (!request) throw new Error('The request of the test client was refused');
  return { cookie: packMobileRequest(request), name: getAppName(request) };
}

/**
 * Authorizes a mobile app's request, as the page does when the learner selects "Continue as".
 * @param origin origin of this app
 * @param address the URL that the mobile app opens
 * @param session the session cookie's value
 * @param others further cookies of the browser, as `name=value`
 */
export async function authorizeMobileApp(
  origin: string,
  address: string | URL,
  session: string,
  headers: Record<string, string | null> = {},
  others: readonly string[] = [],
): Promise<Answer> {
  const request = keepMobileRequest(address);
  const cookie = stringifyCookie({ ...getBrowserCookies(session), 'mobile-request': request.cookie });
  return post(`${origin}/api/mobile/authorize`, {
    body: { request: request.name },
    headers: { cookie: [cookie, ...others].join('; '), ...headers },
  });
}
