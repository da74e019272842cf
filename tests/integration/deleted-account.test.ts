// Threats: half-deletion
// A sign-in finds its account, but is recorded after the account was deleted.
import { and, eq } from 'drizzle-orm';
import { expect, test, vi } from 'vitest';
import { finishDeletion } from '@/lib/server/accounts/deletion/deletion';
import { getIdentityAdmin } from '@/lib/server/identity/admin';
import { getRecords } from '@/lib/server/storage/records';
import { insertEvent, writeInBackground } from '@/lib/server/storage/records/events';
import { readMetrics } from '@/lib/server/runtime/observability/metrics';
import { accounts, events, jobs, sessions } from '@/lib/server/storage/records/schema';
import { schedule } from '../support/deletions';
import { serveSessions } from '../support/session-app';
import { createTestUser, fetchIdToken } from '../support/test-users';

const app = serveSessions();

test.each(['the first of its account', 'of an account with records'])(
  'leaves no records, and opens no session: %s',
  async (which) => {
    const records = await getRecords();
    const user = await createTestUser();
    if (which !== 'the first of its account') await app.open(app.newBrowser(), await fetchIdToken(user));
    const token = await fetchIdToken(user);

    const admin = getIdentityAdmin();
    const createSessionCookie = admin.createSessionCookie.bind(admin);
    const spy = vi.spyOn(admin, 'createSessionCookie').mockImplementationOnce(async (...given) => {
      const cookie = await createSessionCookie(...given);
      await finishDeletion(records, await schedule(records, user));
      return cookie;
    });
    const browser = app.newBrowser('phone');
    app.expectCode(await app.open(browser, token), 401, 'user-deleted');
    spy.mockRestore();
    expect(browser.cookies).not.toHaveProperty('_secure-user-session');
    for (const table of [accounts, sessions, events]) {
      const left = await records.transact((tx) =>
        tx.select({ uid: table.uid }).from(table).where(eq(table.uid, user.uid)),
      );
      expect(left).toEqual([]);
    }
  },
);

/** The provider deletes the account, but its response is lost. */
function loseAnswer() {
  const admin = getIdentityAdmin();
  const deleteUser = admin.deleteUser.bind(admin);
  return vi.spyOn(admin, 'deleteUser').mockImplementationOnce(async (uid) => {
    await deleteUser(uid);
    throw new Error('timeout!');
  });
}

test('a deletion whose answer is lost is asked for again, and told', async () => {
  const records = await getRecords();
  const { uid, email } = await createTestUser();
  const asked = loseAnswer();
  await finishDeletion(records, await schedule(records, { uid, email }));
  expect(asked).toHaveBeenCalledTimes(2);
  asked.mockRestore();
  await expect(getIdentityAdmin().getUser(uid)).rejects.toMatchObject({ code: 'auth/user-not-found' });
  const isOwn = and(eq(jobs.uid, uid), eq(jobs.kind, 'account-deleted'));
  const told = await records.transact((tx) => tx.select({ kind: jobs.kind }).from(jobs).where(isOwn));
  expect(told).toHaveLength(1);
});

test('an event of an account whose records are gone is not one that was lost', async () => {
  const records = await getRecords();
  const { uid } = app.user;
  const countLost = async () => /^security_events_lost_total (\d+)$/m.exec((await readMetrics()).text)?.[1];
  const before = await countLost();
  expect(before).toBeDefined();
  await finishDeletion(records, await schedule(records, app.user));
  const write = vi.fn((of: typeof records) => insertEvent(of, { uid, kind: 'name-changed', at: new Date() }));
  writeInBackground(write);
  await vi.waitUntil(() => write.mock.settledResults[0]?.type === 'rejected');
  await expect(write.mock.results[0]?.value).rejects.toMatchObject({ code: 'user-deleted' });
  expect(await countLost()).toBe(before);
});
