import { AsyncLocalStorage } from 'node:async_hooks';
import { vi } from 'vitest';
import { processWide } from '@/lib/server/runtime/process';
import { withAccountLock } from '@/lib/server/storage';
import { randomUUID } from 'node:crypto';
import { eq, sql } from 'drizzle-orm';
import { getRecords } from '@/lib/server/storage/records';
import type { Records } from '@/lib/server/storage/records/engines';
import { accountLocks } from '@/lib/server/storage/records/schema';

/**
 * Takes the lock of an account as another process does, also if it is held.
 * @param seconds after which the lock expires
 * @returns the holder
 */
export async function takeLock(subject: string, seconds = 60): Promise<string> {
  const row = { holder: randomUUID(), expiresAt: new Date(Date.now() + seconds * 1000) };
  await (
    await getRecords()
  ).query((tx) =>
    tx
      .insert(accountLocks)
      .values({ subject, ...row })
      .onConflictDoUpdate({ target: accountLocks.subject, set: row }),
  );
  return row.holder;
}

/** Copies a lock to a database that a test uses beside that of this process. There, it is held until it expires. */
export async function copyLock(subject: string, records: Records): Promise<void> {
  const lock = await readLock(subject);
  if (records === (await getRecords()) || lock === null) return;
  await records.query((tx) =>
    tx
      .insert(accountLocks)
      .values({ subject, ...lock })
      .onConflictDoUpdate({ target: accountLocks.subject, set: lock }),
  );
}

export async function endLock(subject: string): Promise<void> {
  await (await getRecords()).query((tx) => tx.delete(accountLocks).where(eq(accountLocks.subject, subject)));
}

/** @returns who holds the lock, and until when, or null if it is free */
export async function readLock(subject: string): Promise<{ holder: string; expiresAt: Date } | null> {
  const rows = await (
    await getRecords()
  ).query((tx) => tx.select().from(accountLocks).where(eq(accountLocks.subject, subject)));
  return rows[0] ?? null;
}

/**
 * Breaks the locks of all accounts.
 * @param event `insert`: no change gets a lock. `update`: every change loses its lock as soon as it has it
 * @returns a function that ends this
 */
export async function breakLocks(event: 'insert' | 'update'): Promise<() => Promise<void>> {
  const records = await getRecords();
  await records.transact(async (tx) => {
    await tx.execute(
      sql.raw("create function break_lock() returns trigger language plpgsql as 'begin return null; end'"),
    );
    await tx.execute(
      sql.raw(`create trigger break_lock before ${event} on account_locks for each row execute function break_lock()`),
    );
  });
  return () => records.transact(async (tx) => void (await tx.execute(sql.raw('drop function break_lock() cascade'))));
}

/** Makes changes of an account as another process does, once the lock of this frozen process has expired. */
export async function overtake<T>(uid: string, change: () => Promise<T>): Promise<T> {
  for (const turns of ['account-turns', 'account-writes']) processWide(turns, () => new Map()).delete(uid);
  await endLock(uid);
  return change();
}

const REGISTRY = Symbol.for('learner-identity.process-wide');

/** Loads the lock once more, as another process has it: only the database is the same. */
export async function loadLockOfOtherProcess(): Promise<typeof withAccountLock> {
  await getRecords();
  const own = Reflect.get(globalThis, REGISTRY) as Map<string, unknown>;
  Reflect.set(globalThis, REGISTRY, new Map([['records', own.get('records')]]));
  vi.resetModules();
  const { withAccountLock: lock } = await import('@/lib/server/storage/account-lock');
  Reflect.set(globalThis, REGISTRY, own);
  return lock;
}

/**
 * Freezes this process before or after one of its calls to the database, for longer than a lock lasts. What the work does
 * at the same time writes nothing to the identity provider until then.
 * @param at number of the call
 * @param isSent whether the database has carried out the call, so that its answer is read late
 * @param meanwhile what others do then
 * @returns whether the work made so many calls
 */
export async function freezeAt(
  { at, isSent }: { at: number; isSent: boolean },
  run: () => Promise<unknown>,
  meanwhile: () => Promise<unknown>,
): Promise<boolean> {
  const records = await getRecords();
  // Others are no part of the frozen work, and their calls do not wait.
  const outside = AsyncLocalStorage.snapshot();
  const isOfWork = new AsyncLocalStorage<boolean>();
  let calls = 0;
  let frozenMs = 0;
  let thawed = Promise.resolve();
  const freeze = async () => {
    let thaw = () => undefined as void;
    thawed = new Promise((resolve) => (thaw = resolve));
    await outside(meanwhile);
    frozenMs += 20_000;
    thaw();
  };
  const realNow = performance.now.bind(performance);
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => realNow() + frozenMs);
  const realFetch = globalThis.fetch;
  const provider = vi.spyOn(globalThis, 'fetch').mockImplementation(async (...request) => {
    if (isOfWork.getStore()) await thawed;
    return realFetch(...request);
  });
  const calling = (['transact', 'query'] as const).map((name) => {
    const real = records[name].bind(records);
    return vi.spyOn(records, name).mockImplementation(async (work) => {
      const isFrozen = calls++ === at;
      if (isFrozen && !isSent) await freeze();
      const done = await real(work);
      if (isFrozen && isSent) await freeze();
      return done;
    });
  });
  try {
    await isOfWork.run(true, run);
    // The frozen call may be one that the work does not wait for.
    await thawed;
  } finally {
    for (const spy of [...calling, clock, provider]) spy.mockRestore();
  }
  return calls > at;
}

/** A change of an account begins, which all others wait for. @returns ends it */
export async function holdAccountLock(uid: string): Promise<() => Promise<void>> {
  let end = () => {};
  const held = new Promise<void>((resolve) => (end = resolve));
  let change = Promise.resolve();
  await new Promise<void>((begun) => {
    change = withAccountLock(uid, () => {
      begun();
      return held;
    });
  });
  return () => {
    end();
    return change;
  };
}

/** Changes of an account that this process makes, or that wait for their turn. */
export const countChanges = (uid: string): number =>
  processWide('account-turns', () => new Map<string, { all: number }>()).get(uid)?.all ?? 0;
