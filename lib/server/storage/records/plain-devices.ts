import { and, eq, gt, isNull } from 'drizzle-orm';
import { devices, sessionCookies, sessions } from './schema';
import type { Records, Tx } from './types';

// Devices whose cookie has no prefix yet. Which of them are adopted is decided in lib/server/policy/opening.ts.

/** A browser that has the secret of such a device, or a copy of it. */
export type PlainDevice = {
  /** Digest of the plain secret. */
  digest: string;
  /** Session of the request's cookie; null when it has none. */
  sid: string | null;
  /** Whether this browser goes on as the device. */
  isAdopted: (session: DeviceSession) => boolean;
};
/** The live session of a device; `own`: that of the browser which asks. */
type DeviceSession = 'none' | 'own' | 'other';

type Account = { uid: string; at: Date };

/** When a device that this browser may go on as was remembered; null when it was not. */
export function readPlainRememberedAt(records: Records, account: Account, plain: PlainDevice): Promise<Date | null> {
  return records.transact(async (tx) => (await findAdoptable(tx, account, plain))?.rememberedAt ?? null);
}

/**
 * Within a transaction that has the account locked: gives the device of a plain secret a new one.
 * @returns its id; null when there is none that this browser may go on as
 */
export async function adoptDevice(
  tx: Tx,
  opening: Account & { deviceDigest: string | null },
  plain: PlainDevice | null,
): Promise<string | null> {
  const device = plain && opening.deviceDigest !== null ? await findAdoptable(tx, opening, plain) : null;
  if (!device) return null;
  await tx.update(devices).set({ cookieDigest: opening.deviceDigest }).where(eq(devices.id, device.id));
  return device.id;
}

async function findAdoptable(tx: Tx, { uid, at }: Account, { digest, sid, isAdopted }: PlainDevice) {
  const matches = and(eq(devices.uid, uid), eq(devices.cookieDigest, digest));
  const [device] = await tx
    .select({ id: devices.id, rememberedAt: devices.rememberedAt })
    .from(devices)
    .where(matches)
    .limit(1);
  return device && isAdopted(await getSession(tx, device.id, sid, at)) ? device : null;
}

async function getSession(tx: Tx, deviceId: string, sid: string | null, at: Date): Promise<DeviceSession> {
  const isLive = and(eq(sessions.deviceId, deviceId), isNull(sessions.endedAt), gt(sessions.expiresAt, at));
  const [live] = await tx.select({ id: sessions.id }).from(sessions).where(isLive).limit(1);
  if (!live) return 'none';
  if (sid === null) return 'other';
  const isIts = and(eq(sessionCookies.sessionId, live.id), eq(sessionCookies.sid, sid));
  const found = await tx.select({ sid: sessionCookies.sid }).from(sessionCookies).where(isIts).limit(1);
  return found.length > 0 ? 'own' : 'other';
}
