import type { GetServerSidePropsContext, GetServerSidePropsResult } from 'next';
import { judgeCallback } from '@/lib/callback/rules';
import { publicEnv } from '@/lib/config/env';
import { callbackPolicyOf } from '@/lib/config/public-env';
import { appendCookies, clearCookieHeader, setCookieHeader } from '@/lib/cookies/server';
import { queryNames } from '@/lib/paths';
import { alreadySignedIn, type AlreadySignedInProps } from './already-signed-in';
import { partnerOf } from './directory';

export type PartnerStartProps = AlreadySignedInProps & {
  /** Null for a partner that is unknown or not enabled. */
  partner: { name: string; provider: string } | null;
};

/** What `/partner-auth/initiate?partner=ID&redirect_uri=…` needs (product decisions, 6). */
export async function partnerStart(
  context: GetServerSidePropsContext,
): Promise<GetServerSidePropsResult<PartnerStartProps>> {
  const { partner: id, [queryNames.redirectUri]: redirectUri } = context.query;
  const partner = typeof id === 'string' ? await partnerOf(id) : null;
  if (partner === null) {
    context.res.statusCode = 404;
    return { props: { partner: null } };
  }
  const signedIn = await alreadySignedIn(context);
  if (signedIn && !('props' in signedIn)) return signedIn;
  const env = publicEnv();
  const verdict = judgeCallback(redirectUri, callbackPolicyOf(env));
  // Back from the provider there is no `redirect_uri` any more: what was kept stays.
  if (redirectUri !== undefined) {
    const { mainDomain } = env;
    const header = verdict.accepted
      ? setCookieHeader('oidcOriginalCallback', verdict.url, mainDomain)
      : clearCookieHeader('oidcOriginalCallback', mainDomain);
    appendCookies(context.res, [header]);
  }
  const props = signedIn ? await signedIn.props : {};
  return { props: { ...props, partner: { name: partner.name, provider: partner.provider } } };
}
