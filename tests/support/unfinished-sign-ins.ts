import { eq, sql } from 'drizzle-orm';
import { beforeEach, describe, expect, inject, test } from 'vitest';
import { getRecords } from '@/lib/server/storage/records';
import { deleteExpired } from '@/lib/server/storage/records/retention';
import { queueWrite } from '@/lib/server/storage/records/events';
import { jobs, pendingSignIns } from '@/lib/server/storage/records/schema';
import { reportUnfinishedSignIns } from '@/lib/server/second-factor/notify';
import { work } from './deletions';
import { mailsTo } from './mail';
import type { Enrolled, SecondFactorApp } from './second-factor-app';
import { SoftwareAuthenticator } from './software-authenticator';
import { createLinkCode } from './sign-in-link';
import { fetchIdToken } from './test-users';

const KIND = 'sign-in-unfinished';

/** Tests of the email about a first factor without a second. */
export function testUnfinishedSignIns(app: SecondFactorApp): void {
  const { newBrowser, call, begun, show, kinds, use } = app;
  const mailbox = { mailboxUrl: inject('mailboxUrl') };
  let enrolled: Enrolled;

  /** Lets minutes pass for waiting sign-ins and sent emails, and performs the due work. */
  const pass = async (minutes: number) => {
    const records = await getRecords();
    const earlier = (column: unknown) => sql`${column} - make_interval(mins => ${minutes})`;
    await records.transact(async (tx) => {
      const { since, expiresAt } = pendingSignIns;
      await tx
        .update(pendingSignIns)
        .set({ since: earlier(since), expiresAt: earlier(expiresAt) })
        .where(eq(pendingSignIns.uid, app.user.uid));
      await tx
        .update(jobs)
        .set({ createdAt: earlier(jobs.createdAt) })
        .where(eq(jobs.uid, app.user.uid));
    });
    await reportUnfinishedSignIns(records);
    await work(records);
  };
  const beginOften = async (times: number) => {
    for (let time = 0; time < times; time += 1) await begun(newBrowser('phone'));
  };
  const count = async () => (await kinds()).filter((kind) => kind === KIND).length;
  const mails = async (total: number) => {
    const all = await mailsTo(mailbox, app.user.email, total + 1);
    return all.filter(({ subject }) => /password|finished/.test(subject));
  };

  describe('a first factor without a second one', () => {
    beforeEach(async () => {
      enrolled = await app.enrol();
    });

    test('is told after five minutes, once, with event and email', async () => {
      await begun(newBrowser('phone'));
      await pass(4);
      expect(await count()).toBe(0);
      await pass(1);
      await pass(1);
      expect(await count()).toBe(1);
      const [mail, ...more] = await mails(1);
      expect(more).toEqual([]);
      expect(mail?.subject).toBe('Someone may know your Campus password');
      expect(mail?.text).toContain('Chrome on Android');
      expect(mail?.text).toContain('/forget-password');
    });

    test('is not told when the database wrote it too late for its browser, whose user begins again', async () => {
      const phone = newBrowser('phone');
      let release = () => {};
      const held = queueWrite(app.user.uid, () => new Promise<void>((resolve) => (release = resolve)));
      app.expectCode(await app.open(phone, await fetchIdToken(app.user)), 503, 'records-unavailable');
      release();
      await held;
      await begun(phone);
      const ofUser = eq(pendingSignIns.uid, app.user.uid);
      const read = async () => (await getRecords()).transact((tx) => tx.select().from(pendingSignIns).where(ofUser));
      await expect.poll(read).toHaveLength(1);
      expect((await show(phone, { code: enrolled.codeAt() })).status).toBe(200);
      await pass(5);
      expect(await count()).toBe(0);
    });

    test('is told of all sign-ins of the next hour in one email', async () => {
      await beginOften(2);
      await pass(5);
      await beginOften(7);
      await pass(50);
      expect(await count()).toBe(2);
      await pass(10);
      expect(await count()).toBe(9);
      const [first, second] = await mails(2);
      expect(first?.text.match(/Chrome on Android/g)).toHaveLength(2);
      expect(second?.text.match(/Chrome on Android/g)).toHaveLength(5);
      expect(second?.text).toContain('And 2 more.');
    });

    test('is not told when the second one comes, by a code or a passkey, or in the next try of this browser', async () => {
      const authenticator = new SoftwareAuthenticator();
      expect((await app.add(enrolled.laptop, authenticator)).status).toBe(200);
      const [slow, byPasskey] = [newBrowser('phone'), newBrowser('phone')];
      await begun(slow);
      await begun(slow);
      expect((await show(slow, { code: enrolled.codeAt() })).status).toBe(200);
      await begun(byPasskey);
      expect((await use(byPasskey, authenticator)).status).toBe(200);
      await pass(6);
      expect(await count()).toBe(0);
    });

    test('is told with the time of the first try, however often it is repeated', async () => {
      const browser = newBrowser('phone');
      await begun(browser);
      await pass(4);
      await begun(browser);
      await pass(1);
      expect(await count()).toBe(1);
      // The sign-in can still be completed.
      expect((await show(browser, { code: enrolled.codeAt() })).status).toBe(200);
    });

    test('by an email link is an event alone: who reads the mailbox would read the email', async () => {
      const code = await createLinkCode(app.user);
      const { email } = app.user;
      app.expectCode(await call(newBrowser(), 'actions/sign-in', { code, email }), 403, 'second-factor-required');
      await pass(5);
      expect(await count()).toBe(1);
      expect(await mails(0)).toEqual([]);
    });

    test('is told even when it has expired while no process was there', async () => {
      await begun(newBrowser('phone'));
      const records = await getRecords();
      await records.transact((tx) =>
        tx
          .update(pendingSignIns)
          .set({ expiresAt: sql`now() - interval '20 minutes'`, since: sql`now() - interval '30 minutes'` })
          .where(eq(pendingSignIns.uid, app.user.uid)),
      );
      await deleteExpired(records, new Date());
      await pass(0);
      expect(await count()).toBe(1);
    });

    test('is reported by one of two processes', async () => {
      await begun(newBrowser('phone'));
      await pass(0);
      const records = await getRecords();
      const later = new Date(Date.now() + 6 * 60_000);
      await Promise.all([reportUnfinishedSignIns(records, later), reportUnfinishedSignIns(records, later)]);
      expect(await count()).toBe(1);
    });
  });
}
