import type { GetServerSidePropsContext, GetServerSidePropsResult } from 'next';
import { publicEnv } from '@/lib/config/env';
import { appendCookies, setCookieHeader } from '@/lib/cookies/server';
import { paths } from '@/lib/paths';
import { sessionPage } from '../session-page';
import { keptMobileRequest, nameOf, readMobileRequest } from './request';

export type AccountSelectionProps = {
  /** Null when there is no honest request to answer. */
  selection: { request: string; name: string | null; email: string | null } | null;
  unavailable?: boolean;
};

const REQUEST_NAMES = ['redirect_uri', 'state', 'code_challenge'];

const forSignedIn = sessionPage('mobile-account-selection', ({ status }, { req }) => {
  const request = keptMobileRequest(req);
  const selection = request && { request: nameOf(request), name: status.displayName, email: status.email };
  return Promise.resolve({ props: { selection } });
});

/**
 * What `/mobile/account-selection` needs (product decisions, 6). The app's request is kept in a cookie and leaves the
 * address at once: it is still there after a sign-in, and never mistaken for this visit's callback.
 */
export async function accountSelection(
  context: GetServerSidePropsContext,
): Promise<GetServerSidePropsResult<AccountSelectionProps>> {
  if (REQUEST_NAMES.some((name) => context.query[name] !== undefined)) return keep(context);
  if (keptMobileRequest(context.req) === null) return { props: { selection: null } };
  return forSignedIn(context) as Promise<GetServerSidePropsResult<AccountSelectionProps>>;
}

function keep({ query, res }: GetServerSidePropsContext): GetServerSidePropsResult<AccountSelectionProps> {
  const request = readMobileRequest(query);
  if (request === null) {
    res.statusCode = 400;
    return { props: { selection: null } };
  }
  appendCookies(res, [setCookieHeader('mobileRequest', JSON.stringify(request), publicEnv().mainDomain)]);
  return { redirect: { destination: paths.mobileAccountSelection, permanent: false } };
}
