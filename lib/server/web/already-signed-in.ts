import type { GetServerSidePropsContext, GetServerSidePropsResult } from 'next';
import { isApiProblem } from '@/lib/shared/problem';
import { detectRedirectLoop } from '@/lib/shared/callback/redirect-loop';
import { validateCallback, resolveCallback, decideCallbackStart } from '@/lib/shared/callback/rules';
import { getPublicEnv } from '@/lib/server/runtime';
import { getCallbackPolicy, type PublicEnv } from '@/lib/shared/config/public-env';
import { appendCookies, applySharedComputerExpiry, buildClearCookie, buildSetCookie } from '@/lib/server/http';
import { cookieTable, type CookieKey } from '@/lib/shared/cookie-table';
import { entryPages, isSessionPageName, paths, queryNames, sessionPages } from '@/lib/shared/paths';
import { reportError } from '@/lib/shared/error-reporting/report';
import { requireSession, getSessionCookie, requiresReauthentication, type LiveSession } from '@/lib/server/session';
import { getAskedAssurance, isStepUpNeeded, pathWithCallback } from './step-up';

export type AlreadySignedInProps = {
  /**
   * The learner was redirected and came back three times: show an error instead of redirecting again. Null: the page is as for a visitor, and
   * does not redirect either, since the learner has to sign in once more.
   */
  bounced?: boolean | null;
};

/**
 * Redirects a learner with a live session (docs/product.md#screens), unless a redirect loop is detected. Without a
 * session cookie the page contains no personal data.
 */
export async function redirectWhenSignedIn(
  context: GetServerSidePropsContext,
): Promise<GetServerSidePropsResult<AlreadySignedInProps> | null> {
  if (getSessionCookie(context.req) === null) return null;
  const session = await getLive(context);
  if (session === null) return { props: {} };

  const bounce = detectRedirectLoop(getCookie(context, 'callbackBounces'), Date.now());
  if (bounce.looping) return { props: { bounced: true } };
  if (isReferrerAmbiguous(context)) return { props: {} };
  const env = getPublicEnv();
  const { url, directPurchase } = readDestination(context, env);
  if (await requiresReauthentication(url, session.authTime ?? 0)) return { props: { bounced: null } };
  // On the way to a step-up, the callback stays where it is: in the address, or in its cookie.
  const isSteppingUp = isStepUpNeeded(session, getAskedAssurance(context));
  if (!isSteppingUp) consumeCallback(context, env, directPurchase);
  const destination = isSteppingUp ? pathWithCallback(paths.setUpSecondFactor, context) : url;
  appendCookies(context.res, [buildSetCookie('callbackBounces', bounce.next, env.mainDomain)]);
  return { redirect: { destination, permanent: false } };
}

async function getLive({ req }: GetServerSidePropsContext): Promise<LiveSession | null> {
  try {
    return await requireSession(req);
  } catch (error) {
    // The session is invalid or cannot be checked: show the sign-in form.
    if (!isApiProblem(error)) reportError(error, { during: 'checking the session for the sign-in page' });
    return null;
  }
}

/**
 * A reload and a back navigation repeat the `Referer` of an earlier visit, which must not override the callback stored
 * then. The request does not distinguish them, the browser's navigation entry does: the page redirects
 * (components/session/session-bootstrap.tsx).
 */
function isReferrerAmbiguous(context: GetServerSidePropsContext): boolean {
  const { query, req, resolvedUrl } = context;
  const browserHandsOver = getCookie(context, 'loggedIn') === '1' && entryPages.includes(getPath(resolvedUrl));
  if (!browserHandsOver || queryNames.redirectUri in query || queryNames.returnTo in query) return false;
  const policy = getCallbackPolicy(getPublicEnv());
  const referrer = validateCallback(req.headers.referer, policy);
  const stored = validateCallback(getCookie(context, 'callbackUrl'), policy);
  return referrer.accepted && stored.accepted && referrer.url !== stored.url;
}

const getPath = (url: string) => url.split('?')[0] ?? '';

/** The redirect target of this visit, by the same rules as in the browser. */
function readDestination(context: GetServerSidePropsContext, env: PublicEnv): { url: string; directPurchase: boolean } {
  const returnTo = context.query[queryNames.returnTo];
  if (isSessionPageName(returnTo)) return { url: sessionPages[returnTo], directPurchase: false };
  const policy = getCallbackPolicy(env);
  const stored = getCookie(context, 'callbackUrl');
  const { store, directPurchase } = decideCallbackStart(
    {
      redirectUris: getRedirectUris(context),
      referrer: context.req.headers.referer ?? null,
      stored,
      purchaseMarkers: env.purchaseMarkers,
    },
    policy,
  );
  return { url: store ?? resolveCallback(stored, policy), directPurchase };
}

/** The stored callback is consumed. */
function consumeCallback(context: GetServerSidePropsContext, env: PublicEnv, directPurchase: boolean): void {
  if (isSessionPageName(context.query[queryNames.returnTo])) return;
  const purchase = directPurchase ? [buildSetCookie('directPurchase', '1', env.mainDomain)] : [];
  appendCookies(context.res, applySharedComputerExpiry(context.req, purchase));
  const taken = (['callbackUrl', 'acrValues'] as const).filter((key) => getCookie(context, key) !== undefined);
  appendCookies(
    context.res,
    taken.map((key) => buildClearCookie(key, env.mainDomain)),
  );
}

function getRedirectUris({ query }: GetServerSidePropsContext): string[] {
  return [query[queryNames.redirectUri] ?? []].flat();
}

function getCookie({ req }: GetServerSidePropsContext, key: CookieKey): string | undefined {
  return req.cookies[cookieTable[key].name];
}
