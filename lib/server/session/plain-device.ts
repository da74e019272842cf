import type { PlainDevice } from '@/lib/server/storage';
import { decideDevice, type DeviceFacts } from '@/lib/server/policy';
import { digestPlainDevice } from './device';
import { getSessionId } from './sid';
import type { SessionRequest } from './types';

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
