import type { GetServerSidePropsContext, GetServerSidePropsResult } from 'next';
import { cookieTable } from '@/lib/shared/cookie-table';
import { paths } from '@/lib/shared/paths';
import { getPublicEnv } from '@/lib/server/runtime';
import { redirectWhenSignedIn, type AlreadySignedInProps } from './already-signed-in';

/**
 * /first-login-reset-password: only after a sign-in that requires a new password. A signed-in user continues to the
 * callback, everyone else to sign-in.
 */
export async function loadFirstLogin(
  context: GetServerSidePropsContext,
): Promise<GetServerSidePropsResult<AlreadySignedInProps>> {
  const signedIn = await redirectWhenSignedIn(context);
  if (signedIn && !('props' in signedIn)) return signedIn;
  const isLegacy = context.req.cookies[cookieTable.legacyUserStatus.name] === 'legacy';
  const isDue = isLegacy && getPublicEnv().rolloutMode === 'V3FirstLogin';
  return isDue ? { props: {} } : { redirect: { destination: paths.signIn, permanent: false } };
}
