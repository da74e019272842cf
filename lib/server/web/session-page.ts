import type { GetServerSidePropsContext, GetServerSidePropsResult } from 'next';
import { isApiProblem, type ApiProblem } from '@/lib/shared/problem';
import { env } from '@/lib/server/runtime';
import { appendCookies } from '@/lib/server/http';
import { paths, queryNames, type SessionPageName } from '@/lib/shared/paths';
import { requireSession, getSessionCookie, type LiveSession, buildSignedOutCookie } from '@/lib/server/session';

type Props = Record<string, unknown>;
type SessionLoader<P extends Props> = (
  session: LiveSession,
  context: GetServerSidePropsContext,
) => Promise<GetServerSidePropsResult<P>>;

/** Replaces a page's own props while the session cannot be checked. */
export type Unavailable = { unavailable: true };

/**
 * Loader of a page that needs a session. Visitors without a live one are redirected to sign-in, and return to the page
 * by its name (docs/product.md#callbacks). While the session cannot be checked, the response is 503 and the page says
 * so. The page gets `accountUid`, which its calls name (docs/security.md, `stale-tab`).
 * @param name the page's name in `return_to`
 * @param load loads the page's props, for the learner of the live session
 */
export function requireSessionPage<P extends Props = Props>(name: SessionPageName, load?: SessionLoader<P>) {
  return async (context: GetServerSidePropsContext): Promise<GetServerSidePropsResult<P | Props | Unavailable>> => {
    const session = await getLiveSession(context);
    if (isApiProblem(session)) return redirectToSignIn(name, context, session);
    const loaded = load ? await load(session, context) : { props: {} };
    return 'props' in loaded ? { props: { ...(await loaded.props), accountUid: session.status.uid } } : loaded;
  };
}

async function getLiveSession({ req }: GetServerSidePropsContext): Promise<LiveSession | ApiProblem> {
  try {
    return await requireSession(req);
  } catch (error) {
    if (isApiProblem(error)) return error;
    throw error;
  }
}

function redirectToSignIn(
  name: SessionPageName,
  { req, res }: GetServerSidePropsContext,
  { status, options }: ApiProblem,
): GetServerSidePropsResult<Unavailable> {
  if (status !== 401) {
    res.statusCode = 503;
    res.setHeader('retry-after', String(options.retryAfter ?? 5));
    return { props: { unavailable: true } };
  }
  const query = new URLSearchParams({ [queryNames.returnTo]: name });
  if (getSessionCookie(req) !== null) {
    // The browser had a session: clear its signed-in cookie and notify the learner.
    appendCookies(res, [buildSignedOutCookie(env().NEXT_PUBLIC_MAIN_DOMAIN)]);
    query.set(queryNames.notification, 'AutoSignOut');
  }
  return { redirect: { destination: `${paths.signIn}?${query.toString()}`, permanent: false } };
}
