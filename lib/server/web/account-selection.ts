import type { GetServerSidePropsContext, GetServerSidePropsResult } from 'next';
import { getPublicEnv } from '@/lib/server/runtime';
import { appendCookies, buildSetCookie } from '@/lib/server/http';
import { paths } from '@/lib/shared/paths';
import { hasRecords } from '@/lib/server/storage';
import { requireSessionPage } from './page';
import { getAppName, packMobileRequest, parseMobileRequest, readKeptMobileRequest } from '@/lib/server/session';

export type AccountSelectionProps = {
  /** Null without a valid request. */
  selection: { request: string; name: string | null; email: string | null; canDelete: boolean } | null;
  unavailable?: boolean;
};

const REQUEST_NAMES = ['redirect_uri', 'state', 'code_challenge'];

const forSignedIn = requireSessionPage('mobile-account-selection', ({ status }, { req }) => {
  const request = readKeptMobileRequest(req);
  const { displayName: name, email } = status;
  const selection = request && { request: getAppName(request), name, email, canDelete: hasRecords() };
  return Promise.resolve({ props: { selection } });
});

/**
 * Props of `/mobile/account-selection` (docs/product.md#screens). The app's request is moved from the URL to a cookie
 * at once: it survives a sign-in, and is never mistaken for this visit's callback URL.
 */
export async function loadAccountSelection(
  context: GetServerSidePropsContext,
): Promise<GetServerSidePropsResult<AccountSelectionProps>> {
  if (REQUEST_NAMES.some((name) => context.query[name] !== undefined)) return keepRequest(context);
  if (readKeptMobileRequest(context.req) === null) return { props: { selection: null } };
  return forSignedIn(context) as Promise<GetServerSidePropsResult<AccountSelectionProps>>;
}

function keepRequest({ query, res }: GetServerSidePropsContext): GetServerSidePropsResult<AccountSelectionProps> {
  const request = parseMobileRequest(query);
  if (request === null) {
    res.statusCode = 400;
    return { props: { selection: null } };
  }
  appendCookies(res, [buildSetCookie('mobileRequest', packMobileRequest(request), getPublicEnv().mainDomain)]);
  return { redirect: { destination: paths.mobileAccountSelection, permanent: false } };
}
