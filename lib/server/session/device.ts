import { createHmac, randomBytes } from 'node:crypto';
import { cookieTable } from '@/lib/shared/cookie-table';
import { readHostCookie, type RequestCookies } from '../http/cookies';

const SECRET_BYTES = 32;
const SECRET_FORMAT = /^[\w-]{43}$/;

/**
 * A browser as the records know it. `secret`: of its `device` cookie, null when it has none. A shared computer keeps none,
 * and one that it still has from before is not used.
 */
export type Device = { secret: string | null; isShared: boolean };

export function readDevice(req: RequestCookies): Device {
  const isShared = req.cookies[cookieTable.sharedComputer.name] === '1';
  const secret = readHostCookie(req, 'device') ?? '';
  return { secret: !isShared && SECRET_FORMAT.test(secret) ? secret : null, isShared };
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
export function digestDevice({ secret }: Device, uid: string): string | null {
  return secret === null
    ? null
    : createHmac('sha256', Buffer.from(secret, 'base64url')).update(uid).digest('base64url');
}
