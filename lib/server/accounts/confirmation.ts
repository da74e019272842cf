import { randomBytes } from 'node:crypto';
import { ApiProblem } from '@/lib/api/problem';
import { issueCode, readToken, redeemCode, type CodePurpose } from '../codes';
import { sendLetter, type MailSetting } from '../mail';
import { identityAdmin } from '../session';
import { askProvider } from '../session/provider-errors';
import { actionLink, type LinkSetting } from './action-links';
import { findById } from './find';

type Setting = MailSetting & LinkSetting;
type Subject = { uid: string; email: string; name: string };

/**
 * Mails a code that confirms an address.
 * @returns the token for the browser's cookie
 * @throws ApiProblem `mail-unavailable`, 503
 */
export async function issueConfirmation(subject: Subject, setting: Setting): Promise<string> {
  const [{ code, token }, link] = await Promise.all([
    issueCode('confirm-email', subject),
    actionLink('verifyEmail', subject.email, setting),
  ]);
  await sendLetter(subject.email, { kind: 'confirm', name: subject.name, code, link }, setting);
  return token;
}

/**
 * For somebody who has signed in at the identity provider with the right password, but has not confirmed the address.
 * @param token their ID token
 * @returns the address, and how to mail a code to it
 * @throws ApiProblem 401 for a token that proves nothing, `bad-request` for an address that is confirmed, 503
 */
export async function confirmationFor(
  token: string,
): Promise<{ email: string; issue: (setting: Setting) => Promise<string> }> {
  const { uid } = await askProvider(identityAdmin().verifyIdToken(token, true));
  const user = await findById(uid);
  if (!user?.email || user.disabled) throw new ApiProblem('user-disabled');
  if (user.emailVerified) throw new ApiProblem('bad-request', { detail: 'The address is confirmed' });
  const subject = { uid, email: user.email, name: user.displayName ?? '' };
  return { email: user.email, issue: (setting) => issueConfirmation(subject, setting) };
}

/** A token that looks like any other, for addresses about which nothing may be told. No code opens it. */
export async function issueDecoy(purpose: CodePurpose, payload: Omit<Subject, 'uid'>): Promise<string> {
  // As long as the ids of the identity provider.
  const uid = randomBytes(21).toString('base64url');
  return (await issueCode(purpose, { uid, ...payload }, { decoy: true })).token;
}

/** The registration that a browser's token belongs to. @throws ApiProblem `code-missing`, `code-expired` */
export async function pendingRegistration(token: string | undefined): Promise<Subject & { issuedAt: number }> {
  const { payload, issuedAt } = await readToken('confirm-email', token);
  return { ...subjectOf(payload), issuedAt };
}

/**
 * Confirms an address with the code from the mail.
 * @returns a custom token, with which the browser signs in
 * @throws ApiProblem as `redeemCode`; `code-expired` when the registration has been replaced
 */
export async function confirmEmail(token: string | undefined, code: string): Promise<string> {
  return redeemCode('confirm-email', token, code, async (payload) => {
    const { uid, email } = subjectOf(payload);
    const user = await findById(uid);
    if (!user || user.email !== email || user.disabled) throw new ApiProblem('code-expired');
    if (!user.emailVerified) await askProvider(identityAdmin().updateUser(uid, { emailVerified: true }));
    return askProvider(identityAdmin().createCustomToken(uid));
  });
}

function subjectOf({ uid = '', email = '', name = '' }: Record<string, string>): Subject {
  return { uid, email, name };
}
