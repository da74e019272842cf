import { randomUUID } from 'node:crypto';
import { expect, test, vi } from 'vitest';
import { listProvedBy } from '@/lib/server/storage';
import { getRecords } from '@/lib/server/storage/records';
import { writeInBackground } from '@/lib/server/storage/records/events';
import { connectErrorSink } from '@/lib/shared/error-reporting/report';
import { stubPublicDomain } from '@/tests/support/public-domain';
import { storeOrder } from './email-queue';

test('a deployment with its accounts at another one has no records, and reports no loss of them', async () => {
  stubPublicDomain();
  const [reported, lost] = [vi.fn(), vi.fn()];
  connectErrorSink(reported);
  await expect(getRecords()).rejects.toMatchObject({ code: 'not-found' });
  expect(await listProvedBy('mia@campus.test')).toEqual([]);
  const email = { kind: 'sign-in-help', email: 'mia@campus.test' };
  const order = { id: randomUUID(), at: Date.now(), email, context: {} } as unknown as Parameters<typeof storeOrder>[0];
  expect(await storeOrder(order)).toBeNull();
  writeInBackground(() => Promise.resolve(), lost);
  await new Promise(setImmediate);
  expect([reported.mock.calls, lost.mock.calls]).toEqual([[], []]);
});
