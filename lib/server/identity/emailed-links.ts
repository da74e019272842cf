import { sealSignInLink } from '@/lib/server/codes';
import { getActionUrl, type LinkContext } from '@/lib/server/notifications';
import { actionQuery } from '@/lib/shared/security-paths';
import { callIdentityProvider, getIdentityAdmin } from './admin';

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
  return getActionUrl('signIn', await sealSignInLink({ uid, email, code, browser: context.browser ?? '' }), context);
}

async function fetchCode(link: Promise<string>): Promise<string> {
  return new URL(await callIdentityProvider(link, 'generateLink')).searchParams.get(actionQuery.code) ?? '';
}
