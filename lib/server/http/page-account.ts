import { decodeJwt } from 'jose';
import { isOtherAccount, PAGE_ACCOUNT_HEADER } from '@/lib/shared/account/page-account';
import { cookieTable } from '@/lib/shared/cookie-table';
import { ApiProblem } from '@/lib/shared/problem';
import type { RequestCookies, RequestWithCookies } from './cookies';

/**
 * Refuses a call from a page that shows another account than the session's. It only ever refuses: whether the session
 * is live is checked separately, so its cookie need not be verified here, and sign-out works while the provider is
 * unreachable.
 * @throws ApiProblem `other-account`
 */
export function assertPageAccount(req: RequestWithCookies): void {
  const named = req.headers[PAGE_ACCOUNT_HEADER];
  assertSameAccount(req, Array.isArray(named) ? named.join() : named);
}

/** The same for an account that the caller names in another way. @throws ApiProblem `other-account` */
export function assertSameAccount(req: RequestCookies, named: string | undefined): void {
  if (isOtherAccount(named, getCookieAccount(req))) throw new ApiProblem('other-account');
}

/** The account that the session cookie names, not verified; null without a cookie. */
function getCookieAccount({ cookies }: RequestCookies): string | null {
  const session = cookies[cookieTable.session.name];
  if (!session) return null;
  try {
    return decodeJwt(session).sub ?? null;
  } catch {
    // Of another identity deployment: it sets this cookie with every session.
    return cookies[cookieTable.userId.name] ?? null;
  }
}
