import { sql, type SQL } from 'drizzle-orm';
import { onTestFinished, vi } from 'vitest';
import { RecordsError } from '@/lib/server/storage/records/errors';
import { getRecords } from '@/lib/server/storage';

/** Makes the open database refuse all work, like a database that is away. @returns a function that ends this */
export async function takeRecordsAway(): Promise<() => void> {
  const records = await getRecords();
  const calls = (['transact', 'query'] as const).map((name) =>
    vi.spyOn(records, name).mockRejectedValue(new RecordsError('CONNECTION')),
  );
  return () => calls.forEach((call) => call.mockRestore());
}

/**
 * Runs work while the open database is lost after a number of calls, for this and all later calls.
 * @param isCarriedOut whether the call that fails is carried out
 * @returns whether it was lost
 */
export async function loseRecordsAfter(
  calls: number,
  isCarriedOut: boolean,
  run: () => Promise<unknown>,
): Promise<boolean> {
  const records = await getRecords();
  let count = 0;
  const spies = (['transact', 'query'] as const).map((name) => {
    const real = records[name].bind(records);
    return vi.spyOn(records, name).mockImplementation(async (work) => {
      count += 1;
      if (count === calls + 1 && isCarriedOut) await real(work);
      if (count > calls) throw new RecordsError('CONNECTION');
      return real(work);
    });
  });
  try {
    await run();
  } finally {
    spies.forEach((spy) => spy.mockRestore());
  }
  return count > calls;
}

/**
 * Changes the tables of the open database. The end of the test undoes it at the latest, also if the test fails, because
 * the test files of a worker share a database.
 * @returns a function that undoes it
 */
export async function alterTables(changes: SQL[], undoing: SQL[]): Promise<() => Promise<void>> {
  const execute = async (statements: SQL[]) => {
    const records = await getRecords();
    for (const statement of statements) await records.transact((tx) => tx.execute(statement));
  };
  let undone: Promise<void> | undefined;
  const undo = () => (undone ??= execute(undoing));
  onTestFinished(undo);
  await execute(changes);
  return undo;
}

/** Makes the open database lack a table. @returns a function that ends this. So does the end of the test */
export function takeTableAway(table: string): Promise<() => Promise<void>> {
  const [name, away] = [sql.identifier(table), sql.identifier(`${table}_away`)];
  return alterTables([sql`alter table ${name} rename to ${away}`], [sql`alter table ${away} rename to ${name}`]);
}
