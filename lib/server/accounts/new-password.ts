import { ApiProblem } from '@/lib/api/problem';
import { idTokenByPassword, resetPasswordByCode } from '../identity-toolkit';
import { consume } from '../limits';
import type { MailSetting } from '../mail';
import { identityAdmin, sessionBackend } from '../session';
import { askProvider } from '../session/provider-errors';
import { findByEmail, findById } from './find';
import { setPassword } from './password';
import { checkPassword } from './password-policy';

/** How long a sign-in counts as recent, in seconds: as long as the identity provider's own rule. */
const RECENT = 300;

/**
 * Sets a new password with the code of a mailed link (docs/adr/0007), and ends all sessions of the account.
 * @throws ApiProblem `action-code-expired`, `action-code-invalid`, `password-common`, `password-personal`, `password-weak`, 503
 */
export async function resetPasswordByLink(oobCode: string, password: string, setting: MailSetting): Promise<void> {
  checkPassword(password, await resetPasswordByCode(oobCode));
  const user = await findByEmail(await resetPasswordByCode(oobCode, password));
  if (!user || user.disabled) throw new ApiProblem('action-code-invalid');
  await setPassword(user, password, { emailVerified: true }, setting);
}

/**
 * Sets a new password for someone who has just signed in with the present one. All sessions end but the one opened here.
 * @param token an ID token from that sign-in; sign-ins of other kinds prove less and do not count
 * @returns `Set-Cookie` values of the new session
 * @throws ApiProblem 401, `recent-login-required`, `password-common`, `password-personal`, `password-weak`, `too-many-requests`, 503
 */
export async function changePassword(token: string, password: string, setting: MailSetting): Promise<string[]> {
  const decoded = await askProvider(identityAdmin().verifyIdToken(token, true));
  const isRecent = Date.now() / 1000 - decoded.auth_time <= RECENT;
  if (!isRecent || decoded.firebase.sign_in_provider !== 'password') throw new ApiProblem('recent-login-required');
  const user = await findById(decoded.uid);
  if (!user?.email || user.disabled) throw new ApiProblem('user-disabled');
  checkPassword(password, user.email);
  await consume('set-password', user.uid);
  await setPassword(user, password, {}, setting);
  return sessionBackend().create(await idTokenByPassword(user.email, password));
}
