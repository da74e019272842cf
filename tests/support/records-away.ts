import { vi } from 'vitest';
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
