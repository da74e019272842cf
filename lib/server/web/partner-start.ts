import type { GetServerSidePropsContext, GetServerSidePropsResult } from 'next';
import { validateCallback } from '@/lib/shared/callback/rules';
import { getPublicEnv } from '@/lib/server/runtime';
import { getCallbackPolicy } from '@/lib/shared/config/public-env';
import { appendCookies, applySharedComputerExpiry, buildClearCookie, buildSetCookie } from '@/lib/server/http';
import { queryNames } from '@/lib/shared/paths';
import { redirectWhenSignedIn, type AlreadySignedInProps } from './already-signed-in';
import { getPartner } from '@/lib/server/policy';

export type PartnerStartProps = AlreadySignedInProps & {
  /** Null for a partner that is unknown or not enabled. */
  partner: { name: string; provider: string } | null;
};

/** Props of `/partner-auth/initiate?partner=ID&redirect_uri=…` (docs/product.md#screens). */
export async function loadPartnerStart(
  context: GetServerSidePropsContext,
): Promise<GetServerSidePropsResult<PartnerStartProps>> {
  const { partner: id, [queryNames.redirectUri]: redirectUri } = context.query;
  const partner = typeof id === 'string' ? await getPartner(id) : null;
  if (partner === null) {
    context.res.statusCode = 404;
    return { props: { partner: null } };
  }
  const signedIn = await redirectWhenSignedIn(context);
  if (signedIn && !('props' in signedIn)) return signedIn;
  const env = getPublicEnv();
  const validation = validateCallback(redirectUri, getCallbackPolicy(env));
  // The return from the provider has no `redirect_uri`: keep the stored one.
  if (redirectUri !== undefined) {
    const { mainDomain } = env;
    const header = validation.accepted
      ? buildSetCookie('oidcOriginalCallback', validation.url, mainDomain)
      : buildClearCookie('oidcOriginalCallback', mainDomain);
    appendCookies(context.res, applySharedComputerExpiry(context.req, [header]));
  }
  const props = signedIn ? await signedIn.props : {};
  return { props: { ...props, partner: { name: partner.name, provider: partner.provider } } };
}
