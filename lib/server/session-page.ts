import type { GetServerSidePropsContext, GetServerSidePropsResult } from 'next';
import { ApiProblem } from '@/lib/api/problem';
import { env } from '@/lib/config/env';
import { appendCookies } from '@/lib/cookies/server';
import { paths, queryNames, type SessionPageName } from '@/lib/paths';
import { requireSession, sessionCookieOf, type LiveSession } from './session';
import { signedOutCookie } from './session/cookies';

type Props = Record<string, unknown>;
type SessionLoader<P extends Props> = (
  session: LiveSession,
  context: GetServerSidePropsContext,
) => Promise<GetServerSidePropsResult<P>>;

/** In place of a page's own props: whether the learner is signed in cannot be told now. */
export type Unavailable = { unavailable: true };

/**
 * Loader of a page that needs a session. Visitors without a live one go to sign-in, and come back to the page by its
 * name (product decisions, 5). While nobody can tell, the answer is 503 and the page says so.
 * @param name the page's name in `return_to`
 * @param load what the page needs, for the learner whose live session it is
 */
export function sessionPage<P extends Props = Props>(name: SessionPageName, load?: SessionLoader<P>) {
  return async (context: GetServerSidePropsContext): Promise<GetServerSidePropsResult<P | Props | Unavailable>> => {
    const session = await liveSessionOf(context);
    if (session instanceof ApiProblem) return turnAway(name, context, session);
    return load ? load(session, context) : { props: {} };
  };
}

async function liveSessionOf({ req }: GetServerSidePropsContext): Promise<LiveSession | ApiProblem> {
  try {
    return await requireSession(req);
  } catch (error) {
    if (error instanceof ApiProblem) return error;
    throw error;
  }
}

function turnAway(
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
  if (sessionCookieOf(req) !== null) {
    // They were signed in here: the browser learns that it is over, and the learner is told.
    appendCookies(res, [signedOutCookie(env().NEXT_PUBLIC_MAIN_DOMAIN)]);
    query.set(queryNames.notification, 'AutoSignOut');
  }
  return { redirect: { destination: `${paths.signIn}?${query.toString()}`, permanent: false } };
}
