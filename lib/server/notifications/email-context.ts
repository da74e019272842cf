import { env, describeClient } from '@/lib/server/runtime';
import {
  applySharedComputerExpiry,
  buildClearCookie,
  buildClearFlowCookie,
  buildSetCookie,
  buildSetFlowCookie,
  getFlowCookies,
  type RequestWithCookies,
} from '@/lib/server/http';
import { cookieTable } from '@/lib/shared/cookie-table';
import { getPartnerOfProvider } from '@/lib/server/policy';
import { getEmailContext, type SignInMethod } from './email';
import type { FlowPurpose } from '@/lib/server/codes';
import type { FlowContext } from './action-links';

/** Branding and callback URL of emails caused by a request. */
export async function getFlowContext(req: RequestWithCookies): Promise<FlowContext> {
  const context = await getEmailContext(req);
  return { ...context, client: describeClient(req), callback: req.cookies[cookieTable.callbackUrl.name] };
}

/** Sign-in methods as emails name them. @param ids the identity provider's ids */
export function getSignInMethods(ids: readonly string[]): Promise<SignInMethod[]> {
  return Promise.all(ids.map(async (method) => ({ method, partner: await getPartnerOfProvider(method) })));
}

/**
 * `Set-Cookie` values of a browser that waits for a code, beside those of its flow (flows.ts). Identical for every
 * email.
 */
export function waitingCookies(purpose: FlowPurpose, email: string): string[] {
  const { NEXT_PUBLIC_MAIN_DOMAIN: domain } = env();
  if (purpose === 'reset-password') return [buildClearCookie('passwordUpdate', domain)];
  return [
    buildSetCookie('emailConfirmation', email, domain),
    buildSetCookie('signInEmail', email, domain),
    buildClearCookie('registrationRequiresSignIn', domain),
  ];
}

/** Sign-in links whose email a browser knows at a time. */
const MAX_LINKS = 4;

/** `Set-Cookie` values of a browser that requested a sign-in link: it need not ask for the email when it is opened. */
export function signInLinkCookies(req: RequestWithCookies, email: string, flow: string): string[] {
  const { NEXT_PUBLIC_MAIN_DOMAIN: domain } = env();
  const surplus = getFlowCookies(req, 'signInEmail').slice(0, -(MAX_LINKS - 1));
  return applySharedComputerExpiry(req, [
    buildSetCookie('signInEmail', email, domain),
    buildSetFlowCookie('signInEmail', flow, email, domain),
    ...surplus.map((link) => buildClearFlowCookie('signInEmail', link.flow, domain)),
  ]);
}

/** `Set-Cookie` values after confirmation by link: they allow the success page, which asks the user to sign in. */
export function verifiedCookies(req: RequestWithCookies): string[] {
  const { NEXT_PUBLIC_MAIN_DOMAIN: domain } = env();
  return applySharedComputerExpiry(req, [
    buildClearCookie('emailAction', domain),
    buildSetCookie('registrationRequiresSignIn', '1', domain),
  ]);
}

/**
 * `Set-Cookie` values after a reset: they allow the success page. The account is no legacy one any more; without this, /sign-in would ask its
 * owner once more for a new password.
 */
export function passwordSetCookies(req: RequestWithCookies): string[] {
  const { NEXT_PUBLIC_MAIN_DOMAIN: domain } = env();
  return applySharedComputerExpiry(req, [
    buildSetCookie('passwordUpdate', '1', domain),
    buildClearCookie('legacyUserStatus', domain),
  ]);
}
