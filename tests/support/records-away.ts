import { vi } from 'vitest';
import { RecordsError } from '@/lib/server/storage/records/errors';
import { getRecords } from '@/lib/server/storage';

/** Makes the open database refuse all work as one does that is away. @returns ends that */
export async function takeRecordsAway(): Promise<() => void> {
  const records = await getRecords();
  const calls = (['transact', 'query'] as const).map((name) =>
    vi.spyOn(records, name).mockRejectedValue(new RecordsError('CONNECTION')),
  );
  return () => calls.forEach((call) => call.mockRestore());
}
