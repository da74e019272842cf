import type { EmailContext } from '@/lib/server/notifications';
import type { Account } from '@/lib/server/policy';
import { digest } from '@/lib/server/runtime';
import { proveMailbox } from '@/lib/server/session';
import { getStore, type LockedAccount } from '@/lib/server/storage';
import { LIFETIME } from '@/lib/shared/browser-cookies';
import { refusePresentPassword } from './password-policy';

// The identity provider's reset codes stay valid after a reset by code, and so do those of earlier emails.

/** Longer than the identity provider's code is valid, in seconds. */
const KEPT_SECONDS = LIFETIME.day;

const getMadeKey = (oobCode: string) => `reset-link:${digest(oobCode)}`;
const getEndKey = (uid: string) => `reset-links-end:${uid}`;

/** Records when a reset link was made, and for which account. @param oobCode the identity provider's code in it */
export async function keepResetLink(uid: string, oobCode: string): Promise<void> {
  await getStore().set(getMadeKey(oobCode), `${Date.now()} ${uid}`, KEPT_SECONDS);
}

/**
 * Replaces a forgotten password and ends all reset links of the account. Call it within the redeemed code or link.
 * @param locked the account, if the caller has locked it
 * @returns when the mailbox was proved
 * @throws ApiProblem of `refusePresentPassword`; 503
 */
export async function replaceForgottenPassword(
  account: Account,
  proof: Parameters<typeof proveMailbox>[1],
  context: EmailContext,
  password: string,
  locked: LockedAccount | null = null,
): Promise<Date> {
  await refusePresentPassword(account.facts.email, password);
  const provedAt = await proveMailbox(account, proof, context, { password, locked });
  await endResetLinks(account.facts.uid);
  return provedAt;
}

async function endResetLinks(uid: string): Promise<void> {
  await getStore().set(getEndKey(uid), String(Date.now()), KEPT_SECONDS);
}

/** Whether the account's user has chosen a new password since this link was made. False for a link of before 2026-11-30. */
export async function isResetLinkOver(oobCode: string): Promise<boolean> {
  const [madeAt, uid] = (await getStore().get(getMadeKey(oobCode)))?.split(' ') ?? [];
  if (uid === undefined) return false;
  const end = await getStore().get(getEndKey(uid));
  return end !== null && Number(madeAt) <= Number(end);
}
