import { eq } from 'drizzle-orm';
import { accounts, type Records } from '@/lib/server/storage';

/** Reads until when codes of authenticator apps are refused. The time may be past. */
export async function readLockedUntil(records: Records, uid: string): Promise<Date | null> {
  const [row] = await records.query((tx) =>
    tx.select({ until: accounts.factorsLockedUntil }).from(accounts).where(eq(accounts.uid, uid)),
  );
  return row?.until ?? null;
}
