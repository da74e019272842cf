import type { ActionMode } from '@/lib/shared/account/email-action';
import { resolveCallback } from '@/lib/shared/callback/rules';
import { getPublicEnv } from '@/lib/server/runtime';
import { getCallbackPolicy } from '@/lib/shared/config/public-env';
import { actionQuery, paths } from '@/lib/shared/paths';
import type { EmailContext } from './email';
import { sealSignInLink } from '@/lib/server/codes';
import { getIdentityAdmin, callIdentityProvider } from '@/lib/server/identity';

/** Where an email's link leads: to the page that requested it, and from there to the learner's callback URL. */
export type LinkContext = {
  origin: string;
  /** Raw value of the `callbackUrl` cookie; it is validated against the callback rules here. */
  callback: string | undefined;
  /** The flow that the email belongs to; a code gets a new one when omitted. */
  flow?: string;
};

/** Branding and link target of an email caused by a request. */
export type FlowContext = EmailContext & LinkContext;

/** A link that sets a new password, with a code of the identity provider. @throws ApiProblem 503 */
export async function createResetLink(email: string, context: LinkContext): Promise<string> {
  return getActionUrl('resetPassword', await fetchCode(getIdentityAdmin().generatePasswordResetLink(email)), context);
}

/**
 * A link that signs in, with a code of the identity provider. It is sealed with the email, so that no account is read for another one: the
 * time of the refusal would tell whether that has one. And with the account: another one may have the email by then.
 * @throws ApiProblem 503
 */
export async function createSignInLink(
  { uid, email }: { uid: string; email: string },
  context: LinkContext,
): Promise<string> {
  const settings = { url: context.origin, handleCodeInApp: true };
  const code = await fetchCode(getIdentityAdmin().generateSignInWithEmailLink(email, settings));
  return getActionUrl('signIn', await sealSignInLink({ uid, email, code }), context);
}

async function fetchCode(link: Promise<string>): Promise<string> {
  return new URL(await callIdentityProvider(link, 'generateLink')).searchParams.get(actionQuery.code) ?? '';
}

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
