import type { ActionMode, OwnMode } from '@/lib/shared/account/email-action';
import { resolveCallback } from '@/lib/shared/callback/rules';
import { getPublicEnv } from '@/lib/server/runtime';
import { getCallbackPolicy } from '@/lib/shared/config/public-env';
import { actionQuery, paths } from '@/lib/shared/paths';
import type { EmailContext } from './email';
import { sealSignInLink } from '@/lib/server/codes';
import { getIdentityAdmin, callIdentityProvider } from '@/lib/server/identity';

/** Links of the identity provider; the others are our own (lib/server/codes). */
type ProviderMode = Exclude<ActionMode, OwnMode>;

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

/**
 * Creates a link to our own `/actions` with a code of the identity provider.
 * @throws ApiProblem 503
 */
export async function createActionLink(mode: ProviderMode, email: string, context: LinkContext): Promise<string> {
  const providerLink = await callIdentityProvider(createProviderLink(mode, email, context.origin), 'generateLink');
  const code = new URL(providerLink).searchParams.get(actionQuery.code) ?? '';
  // Sealed with the email, so that no account is read for another one: the time of the refusal would tell whether that has one.
  return getActionUrl(mode, mode === 'signIn' ? await sealSignInLink({ email, code }) : code, context);
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

function createProviderLink(mode: ProviderMode, email: string, origin: string): Promise<string> {
  const admin = getIdentityAdmin();
  switch (mode) {
    case 'resetPassword':
      return admin.generatePasswordResetLink(email);
    case 'signIn':
      return admin.generateSignInWithEmailLink(email, { url: origin, handleCodeInApp: true });
  }
}
