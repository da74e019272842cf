import { expect, it, vi } from 'vitest';
import type { Records } from './engines';
import { RecordsError } from './errors';
import { deleteExpired } from './retention';

it('tells of a failure, also when another process takes the lock afterwards', async () => {
  const failure = new RecordsError('57014');
  const transact = vi.fn().mockRejectedValueOnce(failure).mockResolvedValue(null);
  const records = { transact } as unknown as Records;
  await expect(deleteExpired(records, new Date())).rejects.toBe(failure);
  expect(transact).toHaveBeenCalledTimes(2);
  // The other process has deleted them, so nothing is left to report.
  expect(await deleteExpired(records, new Date())).toBe(0);
});
