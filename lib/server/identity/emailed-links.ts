import { sealSignInLink } from '@/lib/server/codes';
import { getActionUrl, type LinkContext } from '@/lib/server/notifications';
import { actionQuery } from '@/lib/shared/security-paths';
import { callIdentityProvider, getIdentityAdmin } from './admin';

/** Creates a link that sets a new password, with a code of the identity provider. @throws ApiProblem 503 */
export async function createResetLink(email: string, context: LinkContext): Promise<string> {
  return getActionUrl('resetPassword', await fetchCode(getIdentityAdmin().generatePasswordResetLink(email)), context);
}

/**
 * Creates a link that signs in, with a code of the identity provider. The email is sealed in it, so no account is read
 * for another email, whose existence the response time would reveal. The account is sealed too, because another account
 * may have the email by then.
 * @param request the id that the link shares with the code of its email
 * @throws ApiProblem 503
 */
export async function createSignInLink(
  { uid, email, request = '' }: { uid: string; email: string; request?: string | undefined },
  context: LinkContext,
): Promise<string> {
  const settings = { url: context.origin, handleCodeInApp: true };
  const code = await fetchCode(getIdentityAdmin().generateSignInWithEmailLink(email, settings));
  return getActionUrl(
    'signIn',
    await sealSignInLink({ uid, email, code, browser: context.browser ?? '', request }),
    context,
  );
}

async function fetchCode(link: Promise<string>): Promise<string> {
  return new URL(await callIdentityProvider(link, 'generateLink')).searchParams.get(actionQuery.code) ?? '';
}
