import { randomUUID } from 'node:crypto';
import { ApiProblem } from '@/lib/shared/problem';
import {
  assertUnused,
  issueCode,
  readToken,
  redeemCode,
  type IssuedCode,
  type ReadToken,
  sealConfirmationLink,
} from '@/lib/server/codes';
import { sendEmail, type EmailContext, getActionUrl, type FlowContext } from '@/lib/server/notifications';
import { type SessionRequest, verifySignIn, proveMailbox } from '@/lib/server/session';
import { findById } from '@/lib/server/identity';
import type { PendingConfirmation, PreparedEmail } from './requested-email';
import { signInByMail } from './sign-in-by-mail';

/** Creates a new request to confirm an email. */
export function createPendingConfirmation(uid: string, email: string, presentedMethod: string): PendingConfirmation {
  return { uid, email, registration: randomUUID(), presentedMethod };
}

/** A code that confirms an email, and the token for the browser's cookie. */
export function issueConfirmation(subject: PendingConfirmation, { flow }: { flow: string }): Promise<IssuedCode> {
  return issueCode('confirm-email', toPayload(subject), { flow });
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
 * For a user who has signed in at the identity provider, but whose email is not verified.
 * @param token their ID token
 * @returns the email, and how to prepare the one with its code
 * @throws ApiProblem as `verifySignIn`; `email-missing`, `bad-request` for a verified email, 503
 */
export async function prepareConfirmation(
  token: string,
  request: Pick<SessionRequest, 'enabledSocial'>,
): Promise<{ email: string; prepare: (context: { flow: string }) => Promise<PreparedEmail<string>> }> {
  const { decoded, account, decision } = await verifySignIn(token, request);
  const { user } = account;
  if (decision.outcome === 'allow' || decision.code !== 'email-not-verified')
    throw new ApiProblem('bad-request', { detail: 'The address is verified' });
  if (user.email === undefined) throw new ApiProblem('email-missing');
  const subject = createPendingConfirmation(user.uid, user.email, decoded.firebase.sign_in_provider);
  const prepare = async (context: { flow: string }): Promise<PreparedEmail<string>> => {
    const { code, token: result } = await issueConfirmation(subject, context);
    return { result, email: { kind: 'confirmation', pending: subject, code } };
  };
  return { email: user.email, prepare };
}

/** The registration that a browser's token was issued for. @throws ApiProblem `code-missing`, `code-expired` */
export async function readPendingRegistration(
  token: string | undefined,
): Promise<PendingConfirmation & Omit<ReadToken, 'payload'>> {
  const { payload, ...read } = await readToken('confirm-email', token);
  return { ...toPendingConfirmation(payload), ...read };
}

/**
 * Confirms an email with the emailed code, in the browser that requested it.
 * @returns a custom token, with which the browser signs in
 * @throws ApiProblem as `redeemCode`; `code-expired` when the registration has been replaced;
 *   as `signInByMail`
 */
export async function confirmEmail(
  { token, code }: { token: string | undefined; code: string },
  context: EmailContext,
  request: SessionRequest,
): Promise<string> {
  assertUnused(await readPendingRegistration(token));
  return redeemCode('confirm-email', token, code, async (payload) => {
    const { uid, email, presentedMethod } = toPendingConfirmation(payload);
    const account = await findById(uid);
    // The organization may have taken over the account since, and then controls access.
    if (account?.user.email !== email || account.facts.managed) throw new ApiProblem('code-expired');
    await proveMailbox(account, { by: 'code', browser: 'requesting', presentedMethod }, context);
    return signInByMail(account.facts, request);
  });
}

/** The claims of a token. Their names stay the same: tokens of an earlier version must stay valid. */
function toPayload({ presentedMethod, ...subject }: PendingConfirmation): Record<string, string> {
  return { ...subject, brought: presentedMethod };
}

function toPendingConfirmation({
  uid = '',
  email = '',
  registration = '',
  brought: presentedMethod = '',
}: Record<string, string>): PendingConfirmation {
  return { uid, email, registration, presentedMethod };
}
