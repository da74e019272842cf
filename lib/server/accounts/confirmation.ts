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
import { type Account, decideEmailedAccess, decideRegistration, type AccountFacts } from '@/lib/server/policy';
import { consumeLimit } from '@/lib/server/storage';
import { completeRegistration } from './complete-registration';
import type { NewAccount } from './new-account';
import { checkPassword } from './password-policy';
import type { PendingConfirmation } from './requested-email';
import { type ProvedMailbox, signInByMail } from './sign-in-by-mail';

export function createPendingConfirmation(
  uid: string,
  email: string,
  presentedMethod: string,
  presentedSubject: string | null = null,
): PendingConfirmation {
  return { uid, email, registration: randomUUID(), presentedMethod, presentedSubject, isRegistration: false };
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
  const { uid, email, registration, isRegistration } = subject;
  const sealed = await sealConfirmationLink({ uid, email, registration, creates: isRegistration ? '1' : '' });
  const link = getActionUrl('verifyEmail', sealed, context);
  await sendEmail(subject.email, { kind: 'confirm', code, link }, context);
}

/**
 * Emails a link that confirms an email together with a new password, to an owner whose browser did not register it.
 * @throws ApiProblem `mail-unavailable`
 */
export async function emailConfirmationLink(uid: string, email: string, context: FlowContext): Promise<void> {
  const sealed = await sealConfirmationLink({ uid, email, registration: randomUUID(), creates: '' });
  await sendEmail(email, { kind: 'verify-link', link: getActionUrl('verifyEmail', sealed, context) }, context);
}

/**
 * Begins the confirmation of a user who has signed in at the identity provider, but whose email is not verified.
 * @param token the user's ID token
 * @throws ApiProblem of `verifySignIn`; `email-missing`, 503; `bad-request` for a verified email
 */
export async function beginConfirmation(
  token: string,
  request: Pick<SessionRequest, 'enabledIdentities'>,
): Promise<PendingConfirmation> {
  const { token: shown, account, decision } = await verifySignIn(token, request);
  const { user } = account;
  if (decision.outcome === 'allow' || decision.code !== 'email-not-verified')
    throw new ApiProblem('bad-request', { detail: 'The address is verified' });
  if (user.email === undefined) throw new ApiProblem('email-missing');
  return createPendingConfirmation(user.uid, user.email, shown.signInProvider, shown.subject);
}

/** Reads the registration that a browser's token was issued for. @throws ApiProblem `code-missing`, `code-expired` */
export async function readPendingRegistration(
  token: string | undefined,
): Promise<PendingConfirmation & Omit<ReadToken, 'payload'>> {
  const { payload, ...read } = await readToken('confirm-email', token);
  return { ...toPendingConfirmation(payload), ...read };
}

/**
 * Confirms an email with the emailed code, in the browser that requested it. The code of a registration creates the
 * account.
 * @param newAccounts the new accounts that the browser keeps (`readNewAccounts`)
 * @returns a custom token that signs the browser in, and the flow of the confirmation
 * @throws ApiProblem of `redeemCode`, `requireEnabled`, `completeRegistration` and `signInByMail`; `code-expired` if the
 *   account has another email by now
 */
export async function confirmEmail(
  { token, code, newAccounts }: { token: string | undefined; code: string; newAccounts: readonly NewAccount[] },
  context: EmailContext,
  request: SessionRequest,
): Promise<{ customToken: string; flow: string }> {
  const { presentedMethod: method, flow } = assertUnused(await readPendingRegistration(token));
  await requireEnabled(method, request);
  const customToken = await redeemCode('confirm-email', token, code, async (payload) => {
    const pending = toPendingConfirmation(payload);
    const { registers, ...proved } = pending.isRegistration
      ? await completeRegistration(pending, findNewAccount(newAccounts, pending), 'code', context)
      : await confirmAccount(pending, context);
    return signInByMail(proved, request, { registers });
  });
  return { customToken, flow };
}

async function confirmAccount(
  { uid, email, presentedMethod, presentedSubject }: PendingConfirmation,
  context: EmailContext,
) {
  const account = await findById(uid);
  // The organization may have taken over the account since, and then controls access.
  if (account?.user.email !== email || account.facts.managed) throw new ApiProblem('code-expired');
  const proof = { by: 'code', browser: 'requesting', presentedMethod, presentedSubject } as const;
  const provedAt = await proveMailbox(account, proof, context);
  return { account: account.facts, provedAt, registers: isFirstProof(account.facts) };
}

const findNewAccount = (newAccounts: readonly NewAccount[], { uid }: Pick<PendingConfirmation, 'uid'>) =>
  newAccounts.find((each) => each.uid === uid) ?? null;

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

const REGISTRATION = 'registration';

/** Builds the claims of a token. Their names stay the same, because tokens of an earlier version must stay valid. */
function toPayload({
  presentedMethod,
  presentedSubject,
  isRegistration,
  ...subject
}: PendingConfirmation): Record<string, string> {
  return {
    ...subject,
    brought: presentedMethod,
    ...(presentedSubject !== null && { identity: presentedSubject }),
    for: isRegistration ? REGISTRATION : 'sign-in',
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
  const isRegistration = occasion === REGISTRATION;
  return { uid, email, registration, presentedMethod, presentedSubject: presentedSubject ?? null, isRegistration };
}

/** What a browser has: the tokens of its flows, and the new accounts that it keeps. */
type OwnRegistrations = { tokens: readonly string[]; newAccounts: readonly NewAccount[] };

/** A confirmation link, opened in a browser. */
type OpenedLink = {
  /** The account that the link confirms or creates. */
  uid: string;
  email: string;
  /** Whether the email has a verified account. */
  isVerified: boolean;
  /** What this browser waits for. Null if it did not request the link. */
  own: Awaited<ReturnType<typeof readPendingRegistration>> | null;
  /** Proves the mailbox and marks the link as used. `password`: chosen in another browser. */
  confirm: (password: string | undefined, context: EmailContext) => Promise<ProvedMailbox & { registers: boolean }>;
};

/**
 * Checks the status of a confirmation link in this browser without redeeming it, because mail scanners open links too.
 * @param code sealed by our server, or the identity provider's code if it sent the email itself
 * @throws ApiProblem 503
 */
export async function inspectEmailVerification(code: string, browser: OwnRegistrations): Promise<EmailVerification> {
  try {
    const { isVerified, email, own } = await openLink(code, browser);
    if (isVerified && !(own && (await awaitsPasskey(own)))) return { state: 'verified', email };
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
  { code, password, ...browser }: OwnRegistrations & { code: string; password?: string | undefined },
  context: EmailContext,
  request: SessionRequest,
): Promise<{ customToken?: string; method?: string; flow?: string }> {
  const { uid, email, isVerified, own, confirm } = await openLink(code, browser);
  const registration = own && { method: own.presentedMethod, flow: own.flow };
  if (isVerified) {
    // The email was confirmed by code or by this link. Report success, but do not set a password sent with it.
    if (password !== undefined) throw new ApiProblem('action-code-invalid');
    return { ...registration };
  }
  // The registering browser keeps its own password.
  const chosen = own === null ? password : undefined;
  if (chosen !== undefined) {
    await consumeLimit('set-password', uid);
    await checkPassword(chosen, email);
  }
  const { registers, ...proved } = await confirm(chosen, context);
  // The user of a managed account signs in at the organization. The following sign-in asks for a second factor.
  if (own === null || proved.account.managed) return {};
  // Any origin can prove the mailbox. If this origin does not enable the method, the user signs in separately.
  const signIn = async () => {
    await requireEnabled(own.presentedMethod, request);
    return signInByMail(proved, request, { registers });
  };
  const customToken = await nullOnProblem(signIn());
  return { ...registration, ...(customToken !== null && { customToken }) };
}

/** Excludes an account that had another email, because another user may have set its present email without registering it. */
const isFirstProof = ({ emailVerified, hadOtherEmail }: AccountFacts) => !emailVerified && !hadOtherEmail;

async function openLink(code: string, browser: OwnRegistrations): Promise<OpenedLink> {
  return isSealedLink(code) ? openSealedLink(code, browser) : openProviderLink(code);
}

async function openSealedLink(code: string, { tokens, newAccounts }: OwnRegistrations): Promise<OpenedLink> {
  const { jti, creates, ...link } = await readConfirmationLink(code);
  const pending = await Promise.all(tokens.map((token) => nullOnProblem(readPendingRegistration(token))));
  const own = pending.find((one) => one?.uid === link.uid && one.registration === link.registration) ?? null;
  if (creates !== '') return openRegistrationLink({ jti, ...link }, own, newAccounts);
  const account = await findById(link.uid);
  if (!account || account.facts.disabled || account.user.email !== link.email)
    throw new ApiProblem('action-code-invalid');
  return openAccountLink(account, link.email, own, (work) => redeemOnce(jti, work));
}

/** Opens the link of a registration, which creates the account. */
async function openRegistrationLink(
  { jti, uid, email }: { jti: string; uid: string; email: string },
  waiting: OpenedLink['own'],
  newAccounts: readonly NewAccount[],
): Promise<OpenedLink> {
  const facts = (await findByEmail(email))?.facts ?? null;
  const decision = decideRegistration(facts, uid);
  if (decision === 'taken' && (facts?.disabled || !facts?.emailVerified)) throw new ApiProblem('action-code-invalid');
  const isVerified = facts?.emailVerified ?? false;
  const newAccount = findNewAccount(newAccounts, { uid });
  // A browser that has lost the new account chooses a password, like any other.
  const own = isVerified || newAccount ? waiting : null;
  return {
    uid,
    email,
    isVerified,
    own,
    confirm: (password, context) => {
      const chosen = password === undefined ? null : { password };
      if (own === null && chosen === null) throw new ApiProblem('new-password-required');
      return redeemOnce(jti, () =>
        completeRegistration({ uid, email }, own ? newAccount : chosen, 'confirmation-link', context),
      );
    },
  };
}

/** Opens a link that the identity provider emailed without this app. It proves the mailbox, but not the browser. */
async function openProviderLink(code: string): Promise<OpenedLink> {
  const email = await inspectCode(code, 'VERIFY_EMAIL');
  const account = await findByEmail(email);
  if (!account || account.facts.disabled) throw new ApiProblem('action-code-invalid');
  return openAccountLink(account, email, null, async (work) => {
    // Decide before redeeming, because redeeming marks the email as verified at the provider.
    const done = await work();
    await applyVerificationCode(code);
    return done;
  });
}

/** @param redeem runs the work and marks the link as used */
function openAccountLink(
  account: Account,
  email: string,
  own: OpenedLink['own'],
  redeem: <T>(work: () => Promise<T>) => Promise<T>,
): OpenedLink {
  const { facts } = account;
  return {
    uid: facts.uid,
    email,
    isVerified: facts.emailVerified,
    own,
    confirm: async (password, context) => {
      // The organization of a managed account controls access, so no email sets its password.
      if (password !== undefined && !decideEmailedAccess(facts).password) throw new ApiProblem('action-code-invalid');
      const [presentedMethod, presentedSubject] = [own?.presentedMethod ?? null, own?.presentedSubject ?? null];
      const browser = own === null ? 'other' : 'requesting';
      const proof = { by: 'confirmation-link', browser, presentedMethod, presentedSubject } as const;
      const provedAt = await redeem(() => proveMailbox(account, proof, context, { password }));
      return { account: facts, provedAt, registers: isFirstProof(facts) };
    },
  };
}
