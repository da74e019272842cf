import { type FlowPurpose } from '@/lib/server/codes';
import {
  readCookie,
  applySharedComputerExpiry,
  buildClearCookie,
  buildSetCookie,
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

/** Reads branding and callback URL for emails caused by a request. */
export async function getFlowContext(req: RequestWithCookies): Promise<FlowContext> {
  const context = await getEmailContext(req);
  return { ...context, client: describeClient(req), callback: readCookie(req, 'callbackUrl') };
}

/** Names sign-in methods for emails. @param ids ids of the identity provider */
export function getSignInMethods(ids: readonly string[]): Promise<SignInMethod[]> {
  return Promise.all(ids.map(async (method) => ({ method, partner: await getPartnerOfProvider(method) })));
}

/**
 * Builds `Set-Cookie` values of a browser that waits for a code, in addition to its flow's cookies
 * (accounts/email-request.ts). They are the same for every email.
 */
export function waitingCookies(purpose: FlowPurpose, email: string): string[] {
  switch (purpose) {
    case 'sign-in':
      return [buildSetCookie('signInEmail', email)];
    case 'reset-password':
      return [buildClearCookie('passwordUpdate')];
    case 'confirm-email':
      return [
        buildSetCookie('emailConfirmation', email),
        buildSetCookie('signInEmail', email),
        buildClearCookie('registrationRequiresSignIn'),
      ];
  }
}

/**
 * Builds `Set-Cookie` values after confirmation by link. They allow the success page, which asks the user to sign in.
 */
export function verifiedCookies(req: RequestWithCookies): string[] {
  return applySharedComputerExpiry(req, [
    buildClearCookie('emailAction'),
    buildSetCookie('registrationRequiresSignIn', '1'),
  ]);
}

/**
 * Builds `Set-Cookie` values after a password reset, which allow the success page. They also clear the legacy status,
 * because /sign-in would otherwise ask for a new password again.
 */
export function passwordSetCookies(req: RequestWithCookies): string[] {
  return applySharedComputerExpiry(req, [buildSetCookie('passwordUpdate', '1'), buildClearCookie('legacyUserStatus')]);
}

/** An email's link first opens the page that requested the email, then the learner's callback URL. */
export type LinkContext = {
  origin: string;
  /** Raw value of the `callbackUrl` cookie. It is validated against the callback rules here. */
  callback: string | undefined;
  /** The flow that the email belongs to. A code gets a new flow if omitted. */
  flow?: string;
  /** The browser that requested the email (`digestFlowBrowser`). */
  browser?: string;
};

export type FlowContext = EmailContext & LinkContext;

/** Builds a link to our own `/actions`. */
export function getActionUrl(mode: ActionMode, code: string, context: LinkContext): string {
  const link = new URL(paths.actions, context.origin);
  link.searchParams.set(actionQuery.mode, mode);
  link.searchParams.set(actionQuery.code, code);
  // This tells the requesting browser which of its emails contained the link.
  if (mode === 'signIn' && context.flow !== undefined) link.searchParams.set(actionQuery.flow, context.flow);
  if (context.callback !== undefined)
    link.searchParams.set(
      actionQuery.continueUrl,
      resolveCallback(context.callback, getCallbackPolicy(getPublicEnv())),
    );
  return link.href;
}
