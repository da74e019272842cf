import type { GetServerSidePropsContext, GetServerSidePropsResult } from 'next';
import { ApiProblem } from '@/lib/api/problem';
import { judgeBounce } from '@/lib/callback/bounces';
import { resolveCallback } from '@/lib/callback/rules';
import { decideCallbackStart } from '@/lib/callback/start';
import { publicEnv } from '@/lib/config/env';
import { callbackPolicyOf, type PublicEnv } from '@/lib/config/public-env';
import { appendCookies, clearCookieHeader, setCookieHeader } from '@/lib/cookies/server';
import { cookieTable, type CookieKey } from '@/lib/cookies/table';
import { isSessionPageName, queryNames, sessionPages } from '@/lib/paths';
import { reportError } from '@/lib/sentry/report';
import { requireSession, sessionCookieOf } from './session';

export type AlreadySignedInProps = {
  /** The learner was handed over and came back three times: say so instead of doing it again. */
  bounced?: boolean;
};

/**
 * Sends a learner with a live session straight on (product decisions, 6), unless that has become a loop. Without a
 * session cookie the page holds nothing personal.
 */
export async function alreadySignedIn(
  context: GetServerSidePropsContext,
): Promise<GetServerSidePropsResult<AlreadySignedInProps> | null> {
  if (sessionCookieOf(context.req) === null) return null;
  if (!(await isLive(context))) return { props: {} };

  const bounce = judgeBounce(cookieOf(context, 'callbackBounces'), Date.now());
  if (bounce.looping) return { props: { bounced: true } };
  const env = publicEnv();
  const destination = takeDestination(context, env);
  appendCookies(context.res, [setCookieHeader('callbackBounces', bounce.next, env.mainDomain)]);
  return { redirect: { destination, permanent: false } };
}

async function isLive({ req }: GetServerSidePropsContext): Promise<boolean> {
  try {
    await requireSession(req);
    return true;
  } catch (error) {
    // Over, or not to be decided now: the form is what helps.
    if (!(error instanceof ApiProblem)) reportError(error, { during: 'checking the session for the sign-in page' });
    return false;
  }
}

/** Where this visit goes, by the same rules as in the browser; the kept callback is used up. */
function takeDestination(context: GetServerSidePropsContext, env: PublicEnv): string {
  const returnTo = context.query[queryNames.returnTo];
  if (isSessionPageName(returnTo)) return sessionPages[returnTo];
  const policy = callbackPolicyOf(env);
  const stored = cookieOf(context, 'callbackUrl');
  const start = decideCallbackStart(
    {
      redirectUris: redirectUrisOf(context),
      referrer: context.req.headers.referer ?? null,
      stored,
      purchaseMarkers: env.purchaseMarkers,
    },
    policy,
  );
  if (start.directPurchase) appendCookies(context.res, [setCookieHeader('directPurchase', '1', env.mainDomain)]);
  if (stored !== undefined) appendCookies(context.res, [clearCookieHeader('callbackUrl', env.mainDomain)]);
  return start.store ?? resolveCallback(stored, policy);
}

function redirectUrisOf({ query }: GetServerSidePropsContext): string[] {
  return [query[queryNames.redirectUri] ?? []].flat();
}

function cookieOf({ req }: GetServerSidePropsContext, key: CookieKey): string | undefined {
  return req.cookies[cookieTable[key].name];
}
