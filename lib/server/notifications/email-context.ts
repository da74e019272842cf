import { type FlowPurpose } from '@/lib/server/codes';
import {
  readCookie,
  applySharedComputerExpiry,
  buildClearCookie,
  buildClearFlowCookie,
  buildSetCookie,
  buildSetFlowCookie,
  getFlowCookies,
  type RequestWithCookies,
} from '@/lib/server/http';
import { getPartnerOfProvider } from '@/lib/server/policy';
import { describeClient, getPublicEnv } from '@/lib/server/runtime';
import type { ActionMode } from '@/lib/shared/account/email-action';
import { resolveCallback } from '@/lib/shared/callback/rules';
import { getCallbackPolicy } from '@/lib/shared/config/public-env';
import { paths } from '@/lib/shared/paths';
import { actionQuery } from '@/lib/shared/security-paths';
import { getEmailContext, type EmailContext, type SignInMethod } from './email';

/** Branding and callback URL of emails caused by a request. */
export async function getFlowContext(req: RequestWithCookies): Promise<FlowContext> {
  const context = await getEmailContext(req);
  return { ...context, client: describeClient(req), callback: readCookie(req, 'callbackUrl') };
}

/** Sign-in methods as emails name them. @param ids the identity provider's ids */
export function getSignInMethods(ids: readonly string[]): Promise<SignInMethod[]> {
  return Promise.all(ids.map(async (method) => ({ method, partner: await getPartnerOfProvider(method) })));
}

/**
 * `Set-Cookie` values of a browser that waits for a code, beside those of its flow (accounts/email-request.ts). Identical for every
 * email.
 */
export function waitingCookies(purpose: FlowPurpose, email: string): string[] {
  if (purpose === 'reset-password') return [buildClearCookie('passwordUpdate')];
  return [
    buildSetCookie('emailConfirmation', email),
    buildSetCookie('signInEmail', email),
    buildClearCookie('registrationRequiresSignIn'),
  ];
}

/** Sign-in links whose email a browser knows at a time. */
const MAX_LINKS = 4;

/** `Set-Cookie` values of a browser that requested a sign-in link: it need not ask for the email when it is opened. */
export function signInLinkCookies(req: RequestWithCookies, email: string, flow: string): string[] {
  const surplus = getFlowCookies(req, 'signInEmail').slice(0, -(MAX_LINKS - 1));
  return applySharedComputerExpiry(req, [
    buildSetCookie('signInEmail', email),
    buildSetFlowCookie('signInEmail', flow, email),
    ...surplus.map((link) => buildClearFlowCookie('signInEmail', link.flow)),
  ]);
}

/** `Set-Cookie` values after confirmation by link: they allow the success page, which asks the user to sign in. */
export function verifiedCookies(req: RequestWithCookies): string[] {
  return applySharedComputerExpiry(req, [
    buildClearCookie('emailAction'),
    buildSetCookie('registrationRequiresSignIn', '1'),
  ]);
}

/**
 * `Set-Cookie` values after a reset: they allow the success page. The account is no legacy one any more; without this, /sign-in would ask its
 * owner once more for a new password.
 */
export function passwordSetCookies(req: RequestWithCookies): string[] {
  return applySharedComputerExpiry(req, [buildSetCookie('passwordUpdate', '1'), buildClearCookie('legacyUserStatus')]);
}

/** Where an email's link leads: to the page that requested it, and from there to the learner's callback URL. */
export type LinkContext = {
  origin: string;
  /** Raw value of the `callbackUrl` cookie; it is validated against the callback rules here. */
  callback: string | undefined;
  /** The flow that the email belongs to; a code gets a new one when omitted. */
  flow?: string;
  /** The browser that asked for it (`digestFlowBrowser`). */
  browser?: string;
};

/** Branding and link target of an email caused by a request. */
export type FlowContext = EmailContext & LinkContext;

/** A link to our own `/actions`. */
export function getActionUrl(mode: ActionMode, code: string, context: LinkContext): string {
  const link = new URL(paths.actions, context.origin);
  link.searchParams.set(actionQuery.mode, mode);
  link.searchParams.set(actionQuery.code, code);
  // Tells the requesting browser for which of its emails the link is.
  if (mode === 'signIn' && context.flow !== undefined) link.searchParams.set(actionQuery.flow, context.flow);
  if (context.callback !== undefined)
    link.searchParams.set(
      actionQuery.continueUrl,
      resolveCallback(context.callback, getCallbackPolicy(getPublicEnv())),
    );
  return link.href;
}
