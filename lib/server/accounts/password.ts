import type { UserRecord } from 'firebase-admin/auth';
import { LEGACY_CLAIM } from '@/lib/account/legacy';
import { reportError } from '@/lib/sentry/report';
import { sendLetter, type MailSetting } from '../mail';
import { identityAdmin, revokeAllSessions } from '../session';
import { askProvider } from '../session/provider-errors';

/**
 * Sets an account's password, ends its sessions everywhere, takes the legacy mark away and tells the owner.
 * @param more other properties that change with it
 * @throws ApiProblem 503
 */
export async function setPassword(
  user: UserRecord,
  password: string,
  more: { emailVerified?: true },
  setting: MailSetting,
): Promise<void> {
  await askProvider(identityAdmin().updateUser(user.uid, { password, ...more }));
  await Promise.all([revokeAllSessions(user.uid), clearLegacyMark(user)]);
  await tellOwner(user, setting);
}

async function clearLegacyMark({ uid, customClaims = {} }: UserRecord): Promise<void> {
  if (!(LEGACY_CLAIM in customClaims)) return;
  const others = Object.fromEntries(Object.entries(customClaims).filter(([name]) => name !== LEGACY_CLAIM));
  await askProvider(identityAdmin().setCustomUserClaims(uid, others));
}

/** The password is set: a mail that cannot be sent is reported, and must not look like a failure. */
async function tellOwner({ email }: UserRecord, setting: MailSetting): Promise<void> {
  if (!email) return;
  try {
    await sendLetter(email, { kind: 'password-changed' }, setting);
  } catch (error) {
    reportError(error, { during: 'telling of a new password' });
  }
}
