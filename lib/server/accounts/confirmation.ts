import { randomUUID } from 'node:crypto';
import { ApiProblem, isApiProblem, nullOnProblem } from '@/lib/shared/problem';
import {
  assertUnused,
  issueCode,
  readToken,
  redeemCode,
  type IssuedCode,
  type ReadToken,
  sealConfirmationLink,
  isSealedLink,
  readConfirmationLink,
  redeemOnce,
} from '@/lib/server/codes';
import { sendEmail, type EmailContext, getActionUrl, type FlowContext } from '@/lib/server/notifications';
import { type SessionRequest, verifySignIn, proveMailbox, requireEnabled } from '@/lib/server/session';
import { findById, applyVerificationCode, countUsablePasskeys, inspectCode, findByEmail } from '@/lib/server/identity';
import { PASSKEY_METHOD } from '@/lib/shared/sign-in-methods';
import type { EmailVerification } from '@/lib/shared/account/email-action';
import { type Account, decideEmailedAccess, type AccountFacts } from '@/lib/server/policy';
import { consumeLimit, getStore, LIMITS } from '@/lib/server/storage';
import type { PendingConfirmation, PreparedEmail } from './requested-email';
import { checkPassword } from './password-policy';
import { signInByMail } from './sign-in-by-mail';

export function createPendingConfirmation(
  uid: string,
  email: string,
  presentedMethod: string,
  presentedSubject: string | null = null,
): PendingConfirmation {
  return { uid, email, registration: randomUUID(), presentedMethod, presentedSubject };
}

/** The flow that a code belongs to, and the browser whose token is valid (`digestFlowBrowser`). */
export type FlowOfBrowser = { flow: string; browser: string };

/** Issues a code that confirms an email, and the token for the browser's cookie. */
export function issueConfirmation(subject: PendingConfirmation, { flow, browser }: FlowOfBrowser): Promise<IssuedCode> {
  return issueCode('confirm-email', toPayload(subject), { flow, browser });
}

/** Emails a code that confirms an email, and a link for another device. @throws ApiProblem `mail-unavailable` */
export async function emailConfirmation(
  subject: PendingConfirmation,
  code: string,
  context: FlowContext,
): Promise<void> {
  const link = getActionUrl('verifyEmail', await sealConfirmationLink(subject), context);
  await sendEmail(subject.email, { kind: 'confirm', code, link }, context);
}

/**
 * Emails a link that confirms an email together with a new password, to an owner whose browser did not register it.
 * @throws ApiProblem `mail-unavailable`
 */
export async function emailConfirmationLink(uid: string, email: string, context: FlowContext): Promise<void> {
  const sealed = await sealConfirmationLink(createPendingConfirmation(uid, email, 'password'));
  await sendEmail(email, { kind: 'verify-link', link: getActionUrl('verifyEmail', sealed, context) }, context);
}

/**
 * Prepares a confirmation for a user who has signed in at the identity provider, but whose email is not verified.
 * @param token the user's ID token
 * @returns the email, and how to prepare the message with its code
 * @throws ApiProblem of `verifySignIn`; `email-missing`, 503; `bad-request` for a verified email
 */
export async function prepareConfirmation(
  token: string,
  request: Pick<SessionRequest, 'enabledIdentities'>,
): Promise<{ email: string; prepare: (context: FlowOfBrowser) => Promise<PreparedEmail<string>> }> {
  const { token: shown, account, decision } = await verifySignIn(token, request);
  const { user } = account;
  if (decision.outcome === 'allow' || decision.code !== 'email-not-verified')
    throw new ApiProblem('bad-request', { detail: 'The address is verified' });
  if (user.email === undefined) throw new ApiProblem('email-missing');
  const presented = createPendingConfirmation(user.uid, user.email, shown.signInProvider, shown.subject);
  const subject = { ...presented, finishesSignIn: true };
  const prepare = async (context: FlowOfBrowser): Promise<PreparedEmail<string>> => {
    const { code, token: result } = await issueConfirmation(subject, context);
    return { result, email: { kind: 'confirmation', pending: subject, code } };
  };
  return { email: user.email, prepare };
}

/** Reads the registration that a browser's token was issued for. @throws ApiProblem `code-missing`, `code-expired` */
export async function readPendingRegistration(
  token: string | undefined,
): Promise<PendingConfirmation & Omit<ReadToken, 'payload'>> {
  const { payload, ...read } = await readToken('confirm-email', token);
  return { ...toPendingConfirmation(payload), ...read };
}

/**
 * Confirms an email with the emailed code, in the browser that requested it.
 * @returns a custom token that signs the browser in
 * @throws ApiProblem of `redeemCode`, `requireEnabled` and `signInByMail`; `code-expired` if the registration has been
 *   replaced
 */
export async function confirmEmail(
  { token, code }: { token: string | undefined; code: string },
  context: EmailContext,
  request: SessionRequest,
): Promise<string> {
  const { presentedMethod: method } = assertUnused(await readPendingRegistration(token));
  await requireEnabled(method, request);
  return redeemCode('confirm-email', token, code, async (payload) => {
    const { uid, email, presentedMethod, presentedSubject } = toPendingConfirmation(payload);
    const account = await findById(uid);
    // The organization may have taken over the account since, and then controls access.
    if (account?.user.email !== email || account.facts.managed) throw new ApiProblem('code-expired');
    const proof = { by: 'code', browser: 'requesting', presentedMethod, presentedSubject } as const;
    const provedAt = await proveMailbox(account, proof, context);
    return signInByMail({ account: account.facts, provedAt }, request, { registers: isFirstProof(account.facts) });
  });
}

/**
 * Decides whether a registration by passkey is confirmed, but its account has no sign-in method yet. Either the
 * response to its code was lost, or the learner left before the passkey was created. The result reveals the account, so
 * show it only to the mailbox, or in a browser that redeemed the code.
 */
export async function awaitsPasskey({ uid, email, presentedMethod }: PendingConfirmation): Promise<boolean> {
  if (presentedMethod !== PASSKEY_METHOD) return false;
  const facts = (await findById(uid))?.facts;
  if (facts?.email !== email || !facts.emailVerified || facts.methods.length > 0) return false;
  return decideEmailedAccess(facts).signIn && (await nullOnProblem(countUsablePasskeys(facts))) === 0;
}

/** Builds the claims of a token. Their names stay the same, because tokens of an earlier version must stay valid. */
function toPayload({
  presentedMethod,
  presentedSubject,
  finishesSignIn = false,
  ...subject
}: PendingConfirmation): Record<string, string> {
  return {
    ...subject,
    brought: presentedMethod,
    ...(presentedSubject !== null && { identity: presentedSubject }),
    ...(finishesSignIn && { for: 'sign-in' }),
  };
}

function toPendingConfirmation({
  uid = '',
  email = '',
  registration = '',
  brought: presentedMethod = '',
  identity: presentedSubject,
  for: occasion,
}: Record<string, string>): PendingConfirmation {
  const finishesSignIn = occasion === 'sign-in';
  return { uid, email, registration, presentedMethod, presentedSubject: presentedSubject ?? null, finishesSignIn };
}

/** An inspected confirmation link, with its account and the registration of this browser. */
type OpenedLink = {
  account: Account;
  email: string;
  /** Null if this browser did not request the link. */
  own: Awaited<ReturnType<typeof readPendingRegistration>> | null;
  /** Runs the work and marks the link as used. */
  redeem: <T>(work: () => Promise<T>) => Promise<T>;
};

/**
 * Checks the status of a confirmation link in this browser without redeeming it, because mail scanners open links too.
 * @param code sealed by our server, or the identity provider's code if it sent the email itself
 * @param tokens tokens from the browser's cookies
 * @throws ApiProblem 503
 */
export async function inspectEmailVerification(code: string, tokens: string[]): Promise<EmailVerification> {
  try {
    const { account, email, own } = await openLink(code, tokens);
    if (account.facts.emailVerified && !(own && (await awaitsPasskey(own)))) return { state: 'verified', email };
    return { state: own === null ? 'new-password' : 'same-browser', email };
  } catch (error) {
    if (!isApiProblem(error) || error.status !== 410) throw error;
    return { state: error.code === 'action-code-expired' ? 'expired' : 'invalid', email: null };
  }
}

/**
 * Confirms an email by a link. In the browser that registered the email, the link has the effect of the code. In any
 * other browser, the user must set a new password and sign in, because a third party may have set the current password.
 * @returns for the registering browser: its method, its flow, and a custom token unless its user has to sign in
 * @throws ApiProblem `action-code-expired`, `action-code-invalid`, `new-password-required`, `too-many-requests`, 503
 * @throws ApiProblem `password-common`, `password-breached`, `password-personal` or `password-weak` for the password
 */
export async function verifyEmailByLink(
  { code, tokens, password }: { code: string; tokens: string[]; password?: string | undefined },
  context: EmailContext,
  request: SessionRequest,
): Promise<{ customToken?: string; method?: string; flow?: string }> {
  const { account, email, own, redeem } = await openLink(code, tokens);
  const presentedMethod = own?.presentedMethod ?? null;
  const registration = own && { method: own.presentedMethod, flow: own.flow };
  if (account.facts.emailVerified) {
    // The email was confirmed by code or by this link. Report success, but do not set a password sent with it.
    if (password !== undefined) throw new ApiProblem('action-code-invalid');
    return { ...registration };
  }
  // The organization of a managed account controls access, so no email sets its password.
  if (presentedMethod === null && password !== undefined && !decideEmailedAccess(account.facts).password)
    throw new ApiProblem('action-code-invalid');
  // The registering browser keeps its own password.
  const chosen = presentedMethod === null ? password : undefined;
  if (chosen !== undefined) {
    await consumeLimit('set-password', account.facts.uid);
    await checkPassword(chosen, email);
  }
  const browser = presentedMethod === null ? 'other' : 'requesting';
  const presentedSubject = own?.presentedSubject ?? null;
  const proof = { by: 'confirmation-link', browser, presentedMethod, presentedSubject } as const;
  const provedAt = await redeem(() => proveMailbox(account, proof, context, { password: chosen }));
  if (own !== null) await getStore().set(getLinkKey(own.registration), '1', LINK_SECONDS);
  // The user of a managed account signs in at the organization. The following sign-in asks for a second factor.
  if (presentedMethod === null || account.facts.managed) return {};
  // Any origin can prove the mailbox. If this origin does not enable the method, the user signs in separately.
  const signIn = async () => {
    await requireEnabled(presentedMethod, request);
    return signInByMail({ account: account.facts, provedAt }, request, { registers: isFirstProof(account.facts) });
  };
  const customToken = await nullOnProblem(signIn());
  return { ...registration, ...(customToken !== null && { customToken }) };
}

/** Excludes an account that had another email, because another user may have set its present email without registering it. */
const isFirstProof = ({ emailVerified, hadOtherEmail }: AccountFacts) => !emailVerified && !hadOtherEmail;

/** As long as further codes renew the tokens of a registration. */
const LINK_SECONDS = LIMITS['email-of-flow'].seconds;
const getLinkKey = (registration: string) => `registration-link:${registration}`;

/** Tells whether the registering browser has confirmed the email by its link. False also if that is unknown. */
export async function wasConfirmedByLink({ registration }: PendingConfirmation): Promise<boolean> {
  return (await getStore().get(getLinkKey(registration))) !== null;
}

async function openLink(code: string, tokens: string[]): Promise<OpenedLink> {
  return isSealedLink(code) ? openSealedLink(code, tokens) : openProviderLink(code);
}

async function openSealedLink(code: string, tokens: string[]): Promise<OpenedLink> {
  const { jti, uid, email, registration } = await readConfirmationLink(code);
  const account = await findById(uid);
  // A newer registration under another id has replaced this registration.
  if (!account || account.facts.disabled || account.user.email !== email) throw new ApiProblem('action-code-invalid');
  const pending = await Promise.all(tokens.map((token) => nullOnProblem(readPendingRegistration(token))));
  const own = pending.find((one) => one?.uid === uid && one.registration === registration);
  return {
    account,
    email,
    own: own ?? null,
    redeem: (work) => redeemOnce(jti, work),
  };
}

/** Opens a link that the identity provider emailed without this app. It proves the mailbox, but not the browser. */
async function openProviderLink(code: string): Promise<OpenedLink> {
  const email = await inspectCode(code, 'VERIFY_EMAIL');
  const account = await findByEmail(email);
  if (!account || account.facts.disabled) throw new ApiProblem('action-code-invalid');
  const redeem = async <T>(work: () => Promise<T>) => {
    // Decide before redeeming, because redeeming marks the email as verified at the provider.
    const done = await work();
    await applyVerificationCode(code);
    return done;
  };
  return { account, email, own: null, redeem };
}
