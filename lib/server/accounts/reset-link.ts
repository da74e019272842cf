import { digest } from '@/lib/server/runtime';
import { getStore } from '@/lib/server/storage';
import { LIFETIME } from '@/lib/shared/browser-cookies';

// The identity provider's reset codes stay valid after a reset by code, and so do those of earlier emails.

/** Longer than the identity provider's code is valid, in seconds. */
const KEPT_SECONDS = LIFETIME.day;

const getMadeKey = (oobCode: string) => `reset-link:${digest(oobCode)}`;
const getEndKey = (uid: string) => `reset-links-end:${uid}`;

/** Records when a reset link was made, and for which account. @param oobCode the identity provider's code in it */
export async function keepResetLink(uid: string, oobCode: string): Promise<void> {
  await getStore().set(getMadeKey(oobCode), `${Date.now()} ${uid}`, KEPT_SECONDS);
}

/** Ends all reset links of an account, because its user has chosen a new password. */
export async function endResetLinks(uid: string): Promise<void> {
  await getStore().set(getEndKey(uid), String(Date.now()), KEPT_SECONDS);
}

/** Whether the account's user has chosen a new password since this link was made. False for a link of before 2026-11-30. */
export async function isResetLinkOver(oobCode: string): Promise<boolean> {
  const [madeAt, uid] = (await getStore().get(getMadeKey(oobCode)))?.split(' ') ?? [];
  if (uid === undefined) return false;
  const end = await getStore().get(getEndKey(uid));
  return end !== null && Number(madeAt) <= Number(end);
}
