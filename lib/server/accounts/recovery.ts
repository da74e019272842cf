import type { UserRecord } from 'firebase-admin/auth';
import { ApiProblem } from '@/lib/api/problem';
import { isOrganisation } from '@/lib/auth/method-name';
import { issueCode, readToken, redeemCode } from '../codes';
import { partnerBehind } from '../directory';
import { sendLetter, type WayIn } from '../mail';
import { actionLink } from './action-links';
import { issueDecoy } from './confirmation';
import { findByEmail, findById, maySetPassword } from './find';
import { setPassword } from './password';
import { checkPassword } from './password-policy';
import type { Setting } from './registration';

/**
 * Mails a reset code, or whatever else helps the owner of the mailbox: that there is no account, that it is closed, or
 * that it opens without a password. Nobody else can tell which.
 * @returns the token for the browser's cookie; a decoy unless a code was mailed
 * @throws ApiProblem `mail-unavailable`, 503
 */
export async function requestReset(email: string, setting: Setting): Promise<string> {
  const user = await findByEmail(email);
  if (user && !user.disabled && maySetPassword(user)) {
    const [{ code, token }, link] = await Promise.all([
      issueCode('reset-password', { uid: user.uid, email, name: '' }),
      actionLink('resetPassword', email, setting),
    ]);
    await sendLetter(email, { kind: 'reset', code, link }, setting);
    return token;
  }
  await mailMethods(email, user, setting);
  return issueDecoy('reset-password', { email, name: '' });
}

/**
 * Mails the owner of an address how to sign in. The methods are never shown on a screen.
 * @throws ApiProblem `mail-unavailable`, 503
 */
export async function sendSignInHelp(email: string, setting: Setting): Promise<void> {
  await mailMethods(email, await findByEmail(email), setting);
}

async function mailMethods(email: string, user: UserRecord | null, setting: Setting): Promise<void> {
  if (!user) return sendLetter(email, { kind: 'no-account', email }, setting);
  if (user.disabled) return sendLetter(email, { kind: 'closed' }, setting);
  const ways = await waysInto(user);
  const open = ways.filter(isOpen);
  if (ways.length > 0 && open.length === 0) return sendLetter(email, { kind: 'partner-gone' }, setting);
  return sendLetter(email, { kind: 'methods', ways: open }, setting);
}

function waysInto({ providerData }: UserRecord): Promise<WayIn[]> {
  return Promise.all(
    providerData.map(async ({ providerId }) => ({ method: providerId, partner: await partnerBehind(providerId) })),
  );
}

/** Not through a partner who has been closed. */
const isOpen = ({ method, partner }: WayIn) =>
  partner !== null || method.startsWith('saml.') || !isOrganisation(method);

/** The address that a browser's reset token was issued for. @throws ApiProblem `code-missing`, `code-expired` */
export async function pendingReset(token: string | undefined): Promise<{ email: string; issuedAt: number }> {
  const { payload, issuedAt } = await readToken('reset-password', token);
  return { email: payload.email ?? '', issuedAt };
}

/**
 * Sets a new password with the code from the mail, and ends all sessions of the account.
 * @throws ApiProblem as `redeemCode`; `password-common`, `password-personal`, `password-weak` before the code is looked at; 503
 */
export async function resetPassword(
  token: string | undefined,
  code: string,
  password: string,
  setting: Setting,
): Promise<void> {
  // A password that will not do must not cost a try.
  checkPassword(password, (await pendingReset(token)).email);
  await redeemCode('reset-password', token, code, async ({ uid = '', email = '' }) => {
    const user = await findById(uid);
    if (!user || user.email !== email || user.disabled) throw new ApiProblem('code-expired');
    // Who reads the mailbox owns the address.
    await setPassword(user, password, { emailVerified: true }, setting);
  });
}
