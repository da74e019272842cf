import { createHmac, randomBytes } from 'node:crypto';
import { readHostCookie, readPlainCookie, type RequestCookies } from '@/lib/server/http';
import { decideDevice, type AccountFacts, type DeviceFacts } from '@/lib/server/policy';
import {
  RECORDS_TIMEOUT_MS,
  readPlainRememberedAt,
  readRememberedAt,
  withRecords,
  type PlainDevice,
} from '@/lib/server/storage';
import { REMEMBERED_DAYS } from '@/lib/shared/account/devices';
import { cookieTable } from '@/lib/shared/cookie-table';
import { getSessionId } from './handoff';
import type { Device, SessionRequest } from './types';

const SECRET_BYTES = 32;
const SECRET_FORMAT = /^[\w-]{43}$/;

export function readDevice(req: RequestCookies): Device {
  const isShared = req.cookies[cookieTable.sharedComputer.name] === '1';
  const parse = (secret = '') => (!isShared && SECRET_FORMAT.test(secret) ? secret : null);
  return { secret: parse(readHostCookie(req, 'device')), plainSecret: parse(readPlainCookie(req, 'device')), isShared };
}

/** The same browser, with a new secret if it has none and may have one. */
export function ensureDeviceSecret(device: Device): Device {
  if (device.isShared || device.secret !== null) return device;
  return { ...device, secret: randomBytes(SECRET_BYTES).toString('base64url') };
}

/**
 * What is stored of the secret, for one account. The secret is the key: without it the table does not tell that the rows of two accounts
 * are of one browser. @returns null for a browser without a secret
 */
export function digestDevice({ secret }: Pick<Device, 'secret'>, uid: string): string | null {
  // What is signed differs from that of a plain secret, so that the value of a cookie with the prefix, planted as a plain one, is not known.
  return secret === null ? null : hash(secret, `__Host- ${uid}`);
}

/** What was stored before cookies had the prefix. @returns null for a browser without a plain secret */
export function digestPlainDevice({ plainSecret }: Pick<Device, 'plainSecret'>, uid: string): string | null {
  return plainSecret === null ? null : hash(plainSecret, uid);
}

function hash(secret: string, text: string): string {
  return createHmac('sha256', Buffer.from(secret, 'base64url')).update(text).digest('base64url');
}

/** The device that a browser can go on as by a cookie from before the prefix, for one account; null when it cannot. */
export function toPlainDevice(
  { device, sessionCookie }: Pick<SessionRequest, 'device' | 'sessionCookie'>,
  uid: string,
): PlainDevice | null {
  const digest = digestPlainDevice(device, uid);
  if (digest === null) return null;
  const facts = { cookies: device.secret === null ? 'plain' : 'both', isShared: device.isShared } as const;
  const isAdopted = (session: DeviceFacts['session']) => decideDevice({ ...facts, session }) === 'adopt';
  // Beside a secret of its own, it goes on as no other device.
  if (!isAdopted('own')) return null;
  return { digest, sid: sessionCookie === null ? null : getSessionId(sessionCookie), isAdopted };
}

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
