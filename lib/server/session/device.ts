import { createHmac, randomBytes } from 'node:crypto';
import { cookieTable } from '@/lib/shared/cookie-table';
import { readHostCookie, readPlainCookie, type RequestCookies } from '@/lib/server/http';

const SECRET_BYTES = 32;
const SECRET_FORMAT = /^[\w-]{43}$/;

/**
 * A browser as the records know it. `secret`: of its `device` cookie, null when it has none. `plainSecret`: of one without the prefix
 * (decide-device.ts). A shared computer keeps none, and one that it still has from before is not used.
 */
export type Device = { secret: string | null; plainSecret: string | null; isShared: boolean };

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
