import { ApiProblem } from '@/lib/shared/problem';
import { reportError } from '@/lib/shared/error-reporting/report';
import { type Account, type AccountFacts, decideEmailedAccess } from '@/lib/server/policy';
import {
  changeAccount,
  signInWithLinkCode,
  getIdentityAdmin,
  evictAccount,
  withAccountLock,
  findByEmail,
  nullOnCode,
  isUnavailable,
  retryWhileUnavailable,
} from '@/lib/server/identity';
import { sendEmail, type EmailContext, createSignInLink, type FlowContext } from '@/lib/server/notifications';
import { readSignInLink } from '@/lib/server/codes';
import { type SessionRequest, proveMailbox } from '@/lib/server/session';
import { emailConfirmationLink, signInByMail } from './confirmation';
import { emailMethods } from './recovery';

/**
 * Emails a sign-in link, or the reason why there is none. An unverified email gets a link that verifies it together
 * with a new password: a third party may have set the account's current one.
 * @throws ApiProblem `mail-unavailable`, 503
 */
export async function requestSignInLink(email: string, context: FlowContext): Promise<void> {
  const account = await findByEmail(email);
  if (!account || !decideEmailedAccess(account.facts).signIn) return emailMethods(email, account, context);
  if (account.facts.emailVerified)
    return sendEmail(
      email,
      { kind: 'sign-in-link', link: await createSignInLink({ uid: account.facts.uid, email }, context) },
      context,
    );
  return emailConfirmationLink(account.facts.uid, email, context);
}

/**
 * Signs in with an emailed link of ours, for the email that it was sent to: for any other, no account is read. The server redeems it because the identity provider marks the email as
 * verified at that moment and keeps everything a third party has added to the account. Until that is removed, the
 * account must not stay verified: a failure in between resets the flag, and the next link requires a new password.
 * @returns a custom token
 * @throws ApiProblem `action-code-expired`, `action-code-invalid`, `link-email-wrong`, as `signInByMail`
 */
export async function signInByLink(
  { code, email }: { code: string; email: string },
  context: EmailContext,
  request: SessionRequest,
): Promise<string> {
  const link = await readSignInLink(code);
  if (link.email !== email) throw new ApiProblem('link-email-wrong');
  const before = await findByEmail(email);
  if (before?.facts.uid !== link.uid || !decideEmailedAccess(before.facts).signIn)
    throw new ApiProblem('action-code-invalid');
  // With the account's lock: until the proof is applied, the provider calls an email verified that is not.
  const redeem = () => redeemAndProve(link.code, email, before, context);
  return signInByMail(await withAccountLock(before.facts.uid, redeem), request);
}

async function redeemAndProve(
  code: string,
  email: string,
  before: Account,
  context: EmailContext,
): Promise<AccountFacts> {
  const { uid, isNew } = await redeemLinkCode(code, email, before);
  if (before.facts.uid !== uid) {
    // The account was moved away or replaced between the two calls. What was made would keep its owner from getting it back; what was
    // there was not validated, and is verified by now.
    await (isNew
      ? nullOnCode(getIdentityAdmin().deleteUser(uid), 'deleteUser', 'auth/user-not-found')
      : setBack({ uid, emailVerified: false }));
    throw new ApiProblem('action-code-invalid');
  }
  await applyProof(before, context);
  return before.facts;
}

async function redeemLinkCode(code: string, email: string, before: Account): ReturnType<typeof signInWithLinkCode> {
  try {
    return await signInWithLinkCode(code, email);
  } catch (error) {
    // A refusal leaves the code unused. Without a response it may have been redeemed anyway.
    if (isUnavailable(error)) await setBack(before.facts);
    throw error;
  }
}

async function applyProof(account: Account, context: EmailContext): Promise<void> {
  const proof = { by: 'sign-in-link', browser: 'other', presentedMethod: null } as const;
  try {
    await retryWhileUnavailable(() => proveMailbox(account, proof, context));
  } catch (error) {
    await setBack(account.facts);
    throw error;
  }
}

/**
 * Resets the verified flag: an unverified account cannot create a session, and its next proof removes what was added to
 * it.
 * @param facts of the account as it was before the code was redeemed; an email that was verified then stays verified
 */
async function setBack({ uid, emailVerified }: Pick<AccountFacts, 'uid' | 'emailVerified'>): Promise<void> {
  if (emailVerified) return;
  try {
    await retryWhileUnavailable(() => changeAccount(uid, { emailVerified: false, revoke: true }));
  } catch (error) {
    reportError(error, {
      during: 'reverting a verification: the account may keep sign-in methods of an attacker',
      uid,
    });
  }
  evictAccount(uid);
}
