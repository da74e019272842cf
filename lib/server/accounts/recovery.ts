import {
  assertUnused,
  issueCode,
  readSignInLink,
  readToken,
  redeemCode,
  redeemOnce,
  type ReadToken,
} from '@/lib/server/codes';
import {
  changeAccount,
  createResetLink,
  createSignInLink,
  deleteAccount,
  markAccountChanged,
  findByEmail,
  findById,
  hasPasskey,
  isUnavailable,
  retryWhileUnavailable,
  signInWithLinkCode,
  toProviderTime,
} from '@/lib/server/identity';
import {
  getSignInMethods,
  sendEmail,
  type EmailContext,
  type FlowContext,
  type SignInMethod,
} from '@/lib/server/notifications';
import {
  decideEmailedAccess,
  getCredentialEnd,
  isSecondFactorStep,
  type Account,
  type AccountFacts,
} from '@/lib/server/policy';
import { hashAccount } from '@/lib/server/runtime';
import { proveMailbox, requireEnabled, type SessionRequest } from '@/lib/server/session';
import { getStore, withAccountLock } from '@/lib/server/storage';
import { LIFETIME } from '@/lib/shared/browser-cookies';
import { reportError } from '@/lib/shared/error-reporting/report';
import { ApiProblem, isApiProblem } from '@/lib/shared/problem';
import { PASSKEY_METHOD, isOrganization } from '@/lib/shared/sign-in-methods';
import { emailConfirmationLink, signInByMail, type FlowOfBrowser } from './confirmation';
import { checkPassword } from './password-policy';
import type { PreparedEmail } from './requested-email';

/**
 * Prepares the email with a reset code, or with the reason for its absence: no account, a disabled account, or no
 * password. Only the mailbox owner learns the reason.
 * @returns the token for the browser's cookie; its code is not emailed if there is a reason
 */
export async function prepareReset(email: string, { flow, browser }: FlowOfBrowser): Promise<PreparedEmail<string>> {
  const { code, token } = await issueCode('reset-password', { email }, { flow, browser });
  return { result: token, email: { kind: 'reset', email, code } };
}

/** Emails a reset code, or the reason for its absence. @throws ApiProblem `mail-unavailable`, 503 */
export async function emailReset(
  { email, code }: { email: string; code: string },
  context: FlowContext,
): Promise<void> {
  const account = await findByEmail(email);
  if (!account || !decideEmailedAccess(account.facts).password) return emailMethods(email, account, context);
  const link = await createResetLink(email, context);
  return sendEmail(email, { kind: 'reset', code, link }, context);
}

/**
 * Emails a link that sets a new password, by order of an operator, or the reason for its absence. It has no code, because
 * no page of the owner waits for one.
 * @throws ApiProblem `mail-unavailable`, 503
 */
export async function emailResetLink(email: string, context: FlowContext): Promise<void> {
  const account = await findByEmail(email);
  if (!account || !decideEmailedAccess(account.facts).password) return emailMethods(email, account, context);
  return sendEmail(email, { kind: 'support-reset', link: await createResetLink(email, context) }, context);
}

/**
 * Emails the owner how to sign in. The methods are never shown on a screen.
 * @throws ApiProblem `mail-unavailable`, 503
 */
export async function sendSignInHelp(email: string, context: FlowContext): Promise<void> {
  await emailMethods(email, await findByEmail(email), context);
}

/** Emails the owner the sign-in methods, or why there are none. @throws ApiProblem `mail-unavailable`, 503 */
export async function emailMethods(email: string, account: Account | null, context: FlowContext): Promise<void> {
  if (!account) return sendEmail(email, { kind: 'no-account', email }, context);
  const { user, facts } = account;
  if (facts.disabled) return sendEmail(email, { kind: 'closed' }, context);
  // A third party may have added the sign-in methods.
  if (!facts.emailVerified && decideEmailedAccess(facts).password)
    return emailConfirmationLink(user.uid, email, context);
  const own = user.providerData.map(({ providerId }) => providerId);
  const methods = await getSignInMethods((await hasPasskey(user)) ? [...own, PASSKEY_METHOD] : own);
  const open = methods.filter(isAvailable);
  if (methods.length > 0 && open.length === 0) return sendEmail(email, { kind: 'partner-gone' }, context);
  return sendEmail(email, { kind: 'methods', methods: open }, context);
}

/** Excludes methods of a partner that has been disabled. */
const isAvailable = ({ method, partner }: SignInMethod) =>
  partner !== null || method.startsWith('saml.') || !isOrganization(method);

/** Reads the email that a browser's reset token was issued for. @throws ApiProblem `code-missing`, `code-expired` */
export async function readPendingReset(
  token: string | undefined,
): Promise<{ email: string } & Omit<ReadToken, 'payload'>> {
  const { payload, ...read } = await readToken('reset-password', token);
  return { email: payload.email ?? '', ...read };
}

/**
 * Sets a new password with the emailed code, and revokes all sessions of the account.
 * @throws ApiProblem of `redeemCode`; 503
 * @throws ApiProblem `password-common`, `password-breached`, `password-personal` or `password-weak` before the code is
 *   checked
 */
export async function resetPassword(
  token: string | undefined,
  code: string,
  password: string,
  context: FlowContext,
): Promise<void> {
  const { email: requested } = assertUnused(await readPendingReset(token));
  // An invalid password must not use up an attempt.
  await checkPassword(password, requested);
  await redeemCode('reset-password', token, code, async ({ email = '' }) => {
    // The code proves the mailbox for any account that has it now, because the token was made before an account was
    // looked up.
    const account = await findByEmail(email);
    if (account === null || !decideEmailedAccess(account.facts).password) throw new ApiProblem('code-expired');
    await proveMailbox(account, { by: 'reset-code', browser: 'requesting', presentedMethod: null }, context, password);
  });
}

/**
 * Emails a sign-in link, or the reason for its absence. An unverified email gets a link that verifies it together with
 * a new password, because a third party may have set the current password.
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

/** How long a link that has proved the mailbox before an outage can be used again. */
const PROVED_SECONDS = LIFETIME.veryShort;

/**
 * Signs in with an emailed link of our own, for the email that it was sent to. For any other email, it reads no
 * account. The server redeems the link, because the identity provider then marks the email as verified and keeps all
 * that a third party has added. Until those additions are removed, the account must not stay verified. A failure in
 * between resets the flag, and the next link requires a new password.
 * @returns a custom token
 * @throws ApiProblem of `requireEnabled` and `signInByMail`; `action-code-expired`, `action-code-invalid`,
 *   `link-email-wrong`
 */
export async function signInByLink(
  { code, email }: { code: string; email: string },
  context: EmailContext,
  request: SessionRequest,
): Promise<string> {
  await requireEnabled('email-link', request);
  const link = await readSignInLink(code);
  if (link.email !== email) throw new ApiProblem('link-email-wrong');
  const before = await findByEmail(email);
  if (before?.facts.uid !== link.uid || !decideEmailedAccess(before.facts).signIn)
    throw new ApiProblem('action-code-invalid');
  const provedKey = `link-proved:${link.jti}`;
  const provedAt = Number((await getStore().get(provedKey)) ?? 0);
  // The proof of this link has itself revoked the sign-ins of an unverified account.
  if (isOver({ ...link, issuedAt: Math.max(link.issuedAt, provedAt) }, before))
    throw new ApiProblem('action-code-invalid');
  // Hold the account's lock, because the provider calls the email verified before the proof is applied.
  const prove = () => withAccountLock(before.facts.uid, () => redeemAndProve(link.code, email, before, context));
  const signedIn = await redeemOnce(link.jti, async () => {
    const isProved = before.facts.emailVerified && provedAt > 0;
    const account = isProved ? before.facts : await prove();
    try {
      return await signInByMail(account, request);
    } catch (error) {
      // The sign-in waits for its second factor, so the link is used up.
      if (isApiProblem(error) && isSecondFactorStep(error.code)) return error;
      // The provider redeems its code only once, so the next attempt with the link does not ask it again. Add a second,
      // because the provider revokes by whole seconds, and its own revocation may be in this second.
      await getStore().set(provedKey, String(Math.floor(Date.now() / 1000) + 1), PROVED_SECONDS);
      throw error;
    }
  });
  if (signedIn instanceof ApiProblem) throw signedIn;
  return signedIn;
}

/** Decides whether the sign-ins of a link's account were revoked after the link was emailed. */
function isOver({ email, issuedAt: own }: Awaited<ReturnType<typeof readSignInLink>>, { facts }: Account): boolean {
  const issuedAt = Math.floor(toProviderTime(own * 1000) / 1000);
  return getCredentialEnd({ credential: 'sign-in-link', session: null, issuedAt, email, account: facts }) !== null;
}

/**
 * Returns the identity provider's code in a sign-in link, or null if the link is over. Its page reads the state of the
 * link with the code. A reader of the page can sign in with it at the provider.
 * @throws ApiProblem of `readSignInLink`; 503
 */
export async function readProviderCode(code: string): Promise<string | null> {
  const link = await readSignInLink(code);
  try {
    const account = await findById(link.uid);
    return account === null || isOver(link, account) ? null : link.code;
  } catch (error) {
    // The page shows the outage. An unavailable provider redeems no code now.
    if (isUnavailable(error)) return link.code;
    throw error;
  }
}

async function redeemAndProve(
  code: string,
  email: string,
  before: Account,
  context: EmailContext,
): Promise<AccountFacts> {
  const { uid, isNew } = await redeemLinkCode(code, email, before);
  if (before.facts.uid !== uid) {
    // The account's email was changed, or the account replaced, between the two calls. Remove the new account, which
    // would keep the owner from the email. An existing account was not checked, and is verified by now, so reset its
    // flag.
    await (isNew ? deleteAccount(uid) : setBack({ uid, emailVerified: false }));
    throw new ApiProblem('action-code-invalid');
  }
  await applyProof(before, context);
  return before.facts;
}

async function redeemLinkCode(code: string, email: string, before: Account): ReturnType<typeof signInWithLinkCode> {
  try {
    return await signInWithLinkCode(code, email);
  } catch (error) {
    // A refusal leaves the code unused. Without a response, the provider may have redeemed it.
    if (isUnavailable(error)) await setBack(before.facts);
    throw error;
  }
}

async function applyProof(account: Account, context: EmailContext): Promise<void> {
  const proof = { by: 'sign-in-link', browser: 'other', presentedMethod: null } as const;
  try {
    await proveMailbox(account, proof, context);
  } catch (error) {
    await setBack(account.facts);
    throw error;
  }
}

/**
 * Resets the verified flag. An unverified account cannot create a session, and its next proof removes all that was
 * added to it.
 * @param facts facts of the account before the code was redeemed; a verified email stays verified
 */
async function setBack({ uid, emailVerified }: Pick<AccountFacts, 'uid' | 'emailVerified'>): Promise<void> {
  if (emailVerified) return;
  try {
    await retryWhileUnavailable(() => changeAccount(uid, { emailVerified: false, revoke: 'mailbox-proof' }));
  } catch (error) {
    reportError(error, {
      during: 'reverting a verification: the account may keep sign-in methods of an attacker',
      account: hashAccount(uid),
    });
  }
  markAccountChanged(uid);
}
