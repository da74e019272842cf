import { env } from '../config/env';
import { applySharedComputerExpiry, buildClearCookie, buildSetCookie, type RequestWithCookies } from '../http/cookies';
import { cookieTable } from '@/lib/shared/cookie-table';
import { getPartnerOfProvider } from '../directory';
import { getEmailContext, type SignInMethod } from '../email';
import type { FlowContext } from './action-links';

/** Branding and callback URL of emails caused by a request. */
export async function getFlowContext(req: RequestWithCookies): Promise<FlowContext> {
  return { ...(await getEmailContext(req)), callback: req.cookies[cookieTable.callbackUrl.name] };
}

/** Sign-in methods as emails name them. @param ids the identity provider's ids */
export function getSignInMethods(ids: readonly string[]): Promise<SignInMethod[]> {
  return Promise.all(ids.map(async (method) => ({ method, partner: await getPartnerOfProvider(method) })));
}

/** `Set-Cookie` values of the requesting browser, which waits for a confirmation code. Identical for every email. */
export function confirmationCookies(req: RequestWithCookies, token: string, email: string): string[] {
  const { NEXT_PUBLIC_MAIN_DOMAIN: domain } = env();
  return applySharedComputerExpiry(req, [
    buildSetCookie('emailConfirmationToken', token, domain),
    buildSetCookie('emailConfirmation', email, domain),
    buildSetCookie('signInEmail', email, domain),
    buildClearCookie('registrationRequiresSignIn', domain),
  ]);
}

/** `Set-Cookie` values of a browser that waits for a reset code. */
export function resetCookies(req: RequestWithCookies, token: string): string[] {
  const { NEXT_PUBLIC_MAIN_DOMAIN: domain } = env();
  return applySharedComputerExpiry(req, [
    buildSetCookie('passwordReset', token, domain),
    buildClearCookie('passwordUpdate', domain),
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

/** `Set-Cookie` values after the password is set: they allow the success page. */
export function passwordSetCookies(req: RequestWithCookies): string[] {
  const { NEXT_PUBLIC_MAIN_DOMAIN: domain } = env();
  return applySharedComputerExpiry(req, [
    buildClearCookie('passwordReset', domain),
    buildSetCookie('passwordUpdate', '1', domain),
  ]);
}
