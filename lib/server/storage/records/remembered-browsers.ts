import { and, eq, inArray, lte, type SQL } from 'drizzle-orm';
import { devices, sessions } from './schema';
import type { Records, Tx } from './types';

// Browsers that are not asked for a second factor. For how long is decided in lib/server/session/remembered.ts.

/** When this browser was remembered for an account; null when it is not. */
export function readRememberedAt(records: Records, uid: string, cookieDigest: string): Promise<Date | null> {
  return records.transact(async (tx) => {
    const matches = and(eq(devices.uid, uid), eq(devices.cookieDigest, cookieDigest));
    // Bounded: one row, by `devices_of_account`.
    const [device] = await tx.select({ rememberedAt: devices.rememberedAt }).from(devices).where(matches);
    return device?.rememberedAt ?? null;
  });
}

/** Within a transaction. One that keeps no secret is on a shared computer, and not remembered. */
export async function rememberBrowser(
  tx: Tx,
  { id, at, deviceDigest }: { id: string; at: Date; deviceDigest: string | null },
): Promise<void> {
  if (deviceDigest !== null) await tx.update(devices).set({ rememberedAt: at }).where(eq(devices.id, id));
}

/** Forgets the browsers of sessions that are ended from another one, or revoked. Within a transaction. */
export async function forgetBrowsers(
  tx: Tx,
  { uid, at }: { uid: string; at: Date },
  ofSessions: SQL | undefined,
): Promise<void> {
  const ended = tx
    .select({ id: sessions.deviceId })
    .from(sessions)
    .where(and(eq(sessions.uid, uid), ofSessions));
  await tx
    .update(devices)
    .set({ rememberedAt: null })
    .where(and(eq(devices.uid, uid), lte(devices.rememberedAt, at), inArray(devices.id, ended)));
}
