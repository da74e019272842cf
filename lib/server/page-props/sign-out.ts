import type { GetServerSidePropsContext, GetServerSidePropsResult } from 'next';
import { isApiProblem } from '@/lib/shared/problem';
import { resolveCallback } from '@/lib/shared/callback/rules';
import { getCallbackPolicy } from '@/lib/shared/config/public-env';
import { cookieTable } from '@/lib/shared/cookie-table';
import { paths, queryNames } from '@/lib/shared/paths';
import { getPublicEnv } from '../config/env';
import { getClientAddress } from '../http/client-address';
import { appendCookies } from '../http/cookies';
import { assertOwnOrigin } from '../http/own-origin';
import { consumeLimit } from '../rate-limits';
import { endSession, requireSession } from '../session';
import { buildClearedDeviceCookies, buildEndedSessionCookies } from '../session/cookies';
import { validateRequestedCallback } from './requested-callback';

export type SignOutProps = {
  /** The signed-in account; null when it has no email or cannot be read now. */
  email: string | null;
  /** Where "Stay signed in" leads. */
  destination: string;
  /** The form's address: with the redirect URI, which the browser removes from the page's own. */
  action: string;
  /** The sign-out was refused or did not succeed. */
  failed: boolean;
};

const METHODS = ['GET', 'HEAD', 'POST'];

type Context = GetServerSidePropsContext;
type Result = GetServerSidePropsResult<SignOutProps>;

/**
 * /sign-out: asks, and signs out only by the form of this page, never by a link (CSRF). Then, and without a session,
 * it redirects to the redirect URI, or to sign-in if there is none or it is refused.
 */
export async function loadSignOut(context: Context): Promise<Result> {
  context.res.setHeader('x-robots-tag', 'noindex');
  const verdict = validateRequestedCallback(context.query[queryNames.redirectUri]);
  const query = verdict.accepted ? `?${new URLSearchParams({ [queryNames.redirectUri]: verdict.url }).toString()}` : '';
  const destination = resolveCallback(context.query[queryNames.redirectUri], getCallbackPolicy(getPublicEnv()));
  const form = { email: null, destination, action: paths.signOut + query, failed: false };
  if (!METHODS.includes(context.req.method ?? '')) {
    context.res.statusCode = 405;
    context.res.setHeader('allow', METHODS.join(', '));
    return { props: form };
  }
  const leave = redirectTo(verdict.accepted ? verdict.url : paths.signIn);
  if (context.req.method === 'POST' && (await signOut(context))) return leave;
  const email = await getEmail(context);
  if (email === undefined) return leave;
  return { props: { ...form, email, failed: context.req.method === 'POST' } };
}

/** @returns whether the session has ended; otherwise the response has the status of the problem */
async function signOut({ req, res }: Context): Promise<boolean> {
  try {
    assertOwnOrigin(req);
    await consumeLimit('end-session', getClientAddress(req));
    await endSession(req);
    const isShared = req.cookies[cookieTable.sharedComputer.name] === '1';
    const { mainDomain } = getPublicEnv();
    appendCookies(res, isShared ? buildClearedDeviceCookies(req, mainDomain) : buildEndedSessionCookies(mainDomain));
    return true;
  } catch (error) {
    if (!isApiProblem(error)) throw error;
    res.statusCode = error.status;
    return false;
  }
}

/** @returns undefined without a live session; null while it cannot be checked */
async function getEmail({ req }: Context): Promise<string | null | undefined> {
  try {
    return (await requireSession(req)).status.email;
  } catch (error) {
    if (!isApiProblem(error)) throw error;
    return error.status === 401 ? undefined : null;
  }
}

function redirectTo(destination: string) {
  // 303: the browser opens it with GET, also after the form.
  return { redirect: { destination, statusCode: 303 } } as const;
}
