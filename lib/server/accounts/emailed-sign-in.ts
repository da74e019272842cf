import {
  CODE_TTL_SECONDS,
  assertUnused,
  createFlowId,
  issueCode,
  readSignInLink,
  readToken,
  redeemCode,
  redeemOnce,
  type ReadToken,
} from '@/lib/server/codes';
import {
  changeAccount,
  createSignInLink,
  deleteAccount,
  markAccountChanged,
  findByEmail,
  findById,
  isUnavailable,
  retryWhileUnavailable,
  signInWithLinkCode,
  toProviderTime,
} from '@/lib/server/identity';
import { sendEmail, type EmailContext, type FlowContext } from '@/lib/server/notifications';
import { decideEmailedAccess, getCredentialEnd, type Account, type AccountFacts } from '@/lib/server/policy';
import { hashAccount } from '@/lib/server/runtime';
import { proveMailbox, requireEnabled, type SessionRequest } from '@/lib/server/session';
import { getStore, type LockedAccount, withAccountLock } from '@/lib/server/storage';
import { LIFETIME } from '@/lib/shared/browser-cookies';
import { reportError } from '@/lib/shared/error-reporting/report';
import { ApiProblem, isApiProblem } from '@/lib/shared/problem';
import { emailConfirmationLink, type FlowOfBrowser } from './confirmation';
import { emailMethods } from './recovery';
import type { PreparedEmail, SignInEmail } from './requested-email';
import { type ProvedMailbox, signInByMail, returnStep } from './sign-in-by-mail';

// An emailed sign-in has a code and a link (docs/adr/0049). The code works only in the browser that asked for it. The
// link works in any browser. Using one of them ends the other.

/**
 * Prepares the email that signs in, or the reason for its absence, which only the mailbox owner learns.
 * @returns the token for the browser's cookie; its code is emailed only if the account can sign in by email
 */
export async function prepareSignIn(email: string, { flow, browser }: FlowOfBrowser): Promise<PreparedEmail<string>> {
  const request = createFlowId();
  const { code, token } = await issueCode('sign-in', { email, request }, { flow, browser });
  return { result: token, email: { kind: 'sign-in-link', email, code, request } };
}

/** The account that the code of a request was emailed for. */
const getAccountKey = (request: string) => `sign-in-code-of:${request}`;
/** Marks a request whose code was used, for the page of its link. */
const getUsedKey = (request: string) => `sign-in-code-used:${request}`;

/**
 * Emails a code and a link that sign in, or the reason for their absence. An unverified email gets a link that verifies
 * it together with a new password, because a third party may have set the current password.
 * @throws ApiProblem `mail-unavailable`, 503
 */
export async function emailSignIn({ email, code, request }: SignInEmail, context: FlowContext): Promise<void> {
  const account = await findByEmail(email);
  if (!account || !decideEmailedAccess(account.facts).signIn) return emailMethods(email, account, context);
  const { uid, emailVerified } = account.facts;
  if (!emailVerified) return emailConfirmationLink(uid, email, context);
  if (request !== undefined) await getStore().set(getAccountKey(request), uid, CODE_TTL_SECONDS);
  const link = await createSignInLink({ uid, email, request }, context);
  return sendEmail(email, { kind: 'sign-in-link', link, code }, context);
}

/** Reads the email that a browser's token was issued for. @throws ApiProblem `code-missing`, `code-expired` */
async function readPendingSignIn(
  token: string | undefined,
): Promise<{ email: string; request: string } & Omit<ReadToken, 'payload'>> {
  const { payload, ...read } = await readToken('sign-in', token);
  return { email: payload.email ?? '', request: payload.request ?? '', ...read };
}

/**
 * Signs in with an emailed code, in the browser that asked for it. The account must be the one that the code was
 * emailed for, and must still have that email. An address without an account has a token, too, but its code was emailed to no one.
 * @param token of the browser's cookie
 * @returns a custom token
 * @throws ApiProblem of `redeemCode`, `requireEnabled` and `signInByMail`
 */
export async function signInByCode(
  { token, code }: { token: string | undefined; code: string },
  context: EmailContext,
  session: SessionRequest,
): Promise<string> {
  await requireEnabled('email-link', session);
  const { email, request, issuedAt } = assertUnused(await readPendingSignIn(token));
  const signedIn = await redeemCode('sign-in', token, code, async () => {
    const account = await findByEmail(email);
    const uid = await getStore().get(getAccountKey(request));
    const isOwn = account !== null && account.facts.uid === uid && decideEmailedAccess(account.facts).signIn;
    const issued = { credential: 'sign-in-code', email, issuedAt: Math.floor(issuedAt / 1000) } as const;
    if (!isOwn || !account.facts.emailVerified || isOver(issued, account)) throw new ApiProblem('code-expired');
    return redeemWithLink(request, async () => {
      const proof = { by: 'sign-in-code', browser: 'requesting', presentedMethod: null } as const;
      const provedAt = await proveMailbox(account, proof, context);
      return returnStep(() => signInByMail({ account: account.facts, provedAt }, session));
    });
  });
  await getStore().set(getUsedKey(request), '1', LIFETIME.day);
  if (signedIn instanceof ApiProblem) throw signedIn;
  return signedIn;
}

/** Uses up the link of the same email. @throws ApiProblem `code-used` if the link was used */
async function redeemWithLink<T>(request: string, work: () => Promise<T>): Promise<T> {
  try {
    return await redeemOnce(request, work);
  } catch (error) {
    throw isApiProblem(error) && error.code === 'action-code-invalid' ? new ApiProblem('code-used') : error;
  }
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
  session: SessionRequest,
): Promise<string> {
  await requireEnabled('email-link', session);
  const link = await readSignInLink(code);
  if (link.email !== email) throw new ApiProblem('link-email-wrong');
  const before = await findByEmail(email);
  if (before?.facts.uid !== link.uid || !decideEmailedAccess(before.facts).signIn)
    throw new ApiProblem('action-code-invalid');
  const provedKey = `link-proved:${link.jti}`;
  const provedAt = Number((await getStore().get(provedKey)) ?? 0);
  // The proof of this link has itself revoked the sign-ins of an unverified account.
  if (isOver({ credential: 'sign-in-link', email, issuedAt: Math.max(link.issuedAt, provedAt) }, before))
    throw new ApiProblem('action-code-invalid');
  // Hold the account's lock, because the provider calls the email verified before the proof is applied.
  const prove = () =>
    withAccountLock(before.facts.uid, (locked) => redeemAndProve(locked, link.code, email, before, context));
  // The code of the same email is used up with it.
  const signedIn = await redeemOnce(link.request || link.jti, async () => {
    const isProved = before.facts.emailVerified && provedAt > 0;
    const proved = isProved ? { account: before.facts, provedAt: new Date((provedAt - 1) * 1000) } : await prove();
    try {
      return await returnStep(() => signInByMail(proved, session));
    } catch (error) {
      // The provider redeems its code only once, so the next attempt with the link does not ask it again. Add a second,
      // because the provider revokes by whole seconds, and its own revocation may be in this second.
      const seconds = Math.floor(proved.provedAt.getTime() / 1000) + 1;
      await getStore().set(provedKey, String(seconds), PROVED_SECONDS);
      throw error;
    }
  });
  if (signedIn instanceof ApiProblem) throw signedIn;
  return signedIn;
}

/** A code or link of an email. `issuedAt`: in seconds since 1970, by our clock. */
type Issued = { credential: 'sign-in-code' | 'sign-in-link'; email: string; issuedAt: number };

/** Decides whether a code or link ended after it was emailed, for example because the account's sign-ins were revoked. */
function isOver({ issuedAt: own, ...issued }: Issued, { facts }: Account): boolean {
  const issuedAt = Math.floor(toProviderTime(own * 1000) / 1000);
  return getCredentialEnd({ ...issued, session: null, issuedAt, account: facts }) !== null;
}

/**
 * Returns the identity provider's code in a sign-in link, or null if the link is over. Its page reads the state of the
 * link with the code. A reader of the page can sign in with it at the provider.
 * @throws ApiProblem of `readSignInLink`; 503
 */
export async function readProviderCode(code: string): Promise<string | null> {
  const link = await readSignInLink(code);
  try {
    const [account, isUsed] = await Promise.all([findById(link.uid), isCodeUsed(link.request)]);
    const { email, issuedAt } = link;
    const isUsable = account !== null && !isUsed && !isOver({ credential: 'sign-in-link', email, issuedAt }, account);
    return isUsable ? link.code : null;
  } catch (error) {
    // The page shows the outage. An unavailable provider redeems no code now.
    if (isUnavailable(error)) return link.code;
    throw error;
  }
}

const isCodeUsed = async (request: string) => request !== '' && (await getStore().get(getUsedKey(request))) !== null;

async function redeemAndProve(
  locked: LockedAccount,
  code: string,
  email: string,
  before: Account,
  context: EmailContext,
): Promise<ProvedMailbox> {
  const { uid, isNew } = await redeemLinkCode(code, email, before);
  if (before.facts.uid !== uid) {
    // The account's email was changed, or the account replaced, between the two calls. Remove the new account, which
    // would keep the owner from the email. An existing account was not checked, and is verified by now, so reset its
    // flag.
    await (isNew ? deleteAccount(uid) : setBack({ uid, emailVerified: false }));
    throw new ApiProblem('action-code-invalid');
  }
  return { account: before.facts, provedAt: await applyProof(locked, before, context) };
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

/** @returns when the mailbox was proved */
async function applyProof(locked: LockedAccount, account: Account, context: EmailContext): Promise<Date> {
  const proof = { by: 'sign-in-link', browser: 'other', presentedMethod: null } as const;
  try {
    return await proveMailbox(account, proof, context, { locked });
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
