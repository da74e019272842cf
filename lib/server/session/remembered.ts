import { REMEMBERED_DAYS } from '@/lib/shared/account/devices';
import type { AccountFacts } from '@/lib/server/policy';
import { readPlainRememberedAt, readRememberedAt, RECORDS_TIMEOUT_MS, withRecords } from '@/lib/server/storage';
import { digestDevice } from './device';
import { toPlainDevice } from './plain-device';
import type { SessionRequest } from './types';

const DAY_MS = 24 * 60 * 60 * 1000;

/** @param facts `validSince`: sign-ins before it are revoked, seconds since 1970 */
type RememberedFacts = { rememberedAt: Date | null; validSince: number; now: Date };

/**
 * Decides whether a browser is still remembered (docs/account-policy.md#remembered-browsers). Whatever revokes the sign-ins of the account
 * forgets it, too: a new password, "Sign out everywhere", a disavowed sign-in.
 * @returns until when; null if it is not
 */
export function getRememberedUntil({ rememberedAt, validSince, now }: RememberedFacts): Date | null {
  if (rememberedAt === null || rememberedAt > now) return null;
  // Revocations have whole seconds: within the same one, the order is unknown.
  if (Math.floor(rememberedAt.getTime() / 1000) <= validSince) return null;
  const until = new Date(rememberedAt.getTime() + REMEMBERED_DAYS * DAY_MS);
  return until > now ? until : null;
}

/**
 * Whether the second factor was shown in this browser before, and it is remembered for this account. Never on a shared computer, nor where
 * the origin does not allow it, or the platform asks for two factors now.
 * @throws ApiProblem 503
 */
export async function isRememberedBrowser(
  { uid, validSince, hasSecondFactor }: AccountFacts,
  request: Pick<SessionRequest, 'device' | 'sessionCookie' | 'allowsRemembering' | 'requiredAssurance'>,
): Promise<boolean> {
  const now = new Date();
  const cookieDigest = digestDevice(request.device, uid);
  const plain = toPlainDevice(request, uid);
  if (cookieDigest === null && plain === null) return false;
  if (!hasSecondFactor || request.requiredAssurance === 2 || !(await request.allowsRemembering())) return false;
  const rememberedAt = await withRecords(async (records) => {
    if (cookieDigest !== null) return readRememberedAt(records, uid, cookieDigest);
    return plain && readPlainRememberedAt(records, { uid, at: now }, plain);
  }, RECORDS_TIMEOUT_MS);
  return getRememberedUntil({ rememberedAt, validSince, now }) !== null;
}
