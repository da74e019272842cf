// Threats: unnoticed-sign-in
import { randomBytes } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { beforeAll, describe, expect, inject, test, vi } from 'vitest';
import { getIdentityAdmin } from '@/lib/server/identity/admin';
import { emailJobs } from '@/lib/server/notifications/outbox/send-due';
import { processWide } from '@/lib/server/runtime/process';
import { openRecords } from '@/lib/server/storage/records';
import { devices, events, jobs, sessions } from '@/lib/server/storage/records/schema';
import type { Records } from '@/lib/server/storage/records/engines';
import { disavowSignIn } from '@/lib/server/accounts/disavow';
import { runJobs } from '@/lib/server/storage/records/jobs';
import { nextSecond, UNHURRIED } from '../support/client';
import { engines, toVariables, useDatabase } from '../support/databases';
import { bundleKilledProcess, prepareKilledProcess } from '../support/killed-process';
import { linksIn, mailsTo } from '../support/mail';
import { toRequest, signIn, type Task } from '../support/sign-in-attempt';
import { createTestUser, fetchIdToken, type TestUser } from '../support/test-users';

vi.setConfig(UNHURRIED);

let program: string;
beforeAll(async () => {
  program = await bundleKilledProcess('crashing-process');
});

const mailbox = { mailboxUrl: inject('mailboxUrl') };
const newSecret = () => randomBytes(32).toString('base64url');

describe.each(engines)('a process killed between any two steps, on %s', (kind) => {
  const database = useDatabase(kind);

  const prepareProcess = (step: number) => {
    const { run, stop } = prepareKilledProcess(program, [String(step)], toVariables(database.choice));
    return { run: (task: Task) => run(JSON.stringify(task)), stop };
  };

  /** Uses the database in this process, because the embedded database serves one process at a time. */
  const withDatabase = async <T>(use: (records: Records) => Promise<T>): Promise<T> => {
    const records = await openRecords(database.choice);
    const place = processWide('records', () => ({ opening: null as Promise<Records> | null }));
    place.opening = Promise.resolve(records);
    try {
      return await use(records);
    } finally {
      await records.close();
      place.opening = null;
    }
  };

  /** Reads the records about a user after all due emails were sent. */
  const read = async (records: Records, { uid }: TestUser) => {
    await runJobs(records, emailJobs);
    return records.transact(async (tx) => ({
      devices: await tx.select().from(devices).where(eq(devices.uid, uid)),
      sessions: await tx.select().from(sessions).where(eq(sessions.uid, uid)),
      events: (await tx.select().from(events).where(eq(events.uid, uid))).map((event) => event.kind).sort(),
      notices: await tx.select().from(jobs).where(eq(jobs.uid, uid)),
    }));
  };

  /** Creates an owner who is signed in on one browser. */
  const createOwner = async () => {
    const user = await createTestUser();
    await signIn({ token: await fetchIdToken(user), secret: newSecret() });
    await nextSecond();
    return user;
  };

  test('signs in on a new browser with everything or nothing, and is announced once', async () => {
    const ends: string[] = [];
    let next = prepareProcess(1);
    let user = await withDatabase(createOwner);
    for (let step = 1; ends.at(-1) !== 'done'; step += 1) {
      const [present, owner] = [next, user];
      next = prepareProcess(step + 1);
      const phone = { token: await fetchIdToken(owner), secret: newSecret() };
      const end = await present.run(phone);
      ends.push(end);
      await withDatabase(async (records) => {
        const killed = await read(records, owner);
        const count = killed.devices.length;
        expect([1, 2], end).toContain(count);
        expect(killed.sessions, end).toHaveLength(count);
        expect(killed.events, end).toEqual(Array.from({ length: count }, () => 'signed-in'));
        expect(killed.notices, end).toHaveLength(count);
        // The learner tries again.
        await signIn(phone);
        const repeated = await read(records, owner);
        expect(repeated.devices, end).toHaveLength(2);
        expect(repeated.sessions, end).toHaveLength(2);
        const told = { kind: 'new-sign-in', body: null };
        expect(repeated.notices, end).toMatchObject([told, told]);
        expect(await mailsTo(mailbox, owner.email, 2), end).toHaveLength(2);
        user = await createOwner();
      });
    }
    next.stop();
    for (const name of ['verifyIdToken', 'getUser', 'createSessionCookie', 'transact'])
      expect(ends).toContain(`killed after ${name}`);
  });

  test('disavows a sign-in completely when the owner tries again', async () => {
    const createIntrusion = async (records: Records) => {
      const user = await createOwner();
      const { uid } = user;
      // Sends the email about the owner's own browser.
      await runJobs(records, emailJobs);
      await signIn({ token: await fetchIdToken(user), secret: newSecret() });
      await getIdentityAdmin().updateUser(uid, { providerToLink: { providerId: 'google.com', uid } });
      await runJobs(records, emailJobs);
      const [link = ''] = linksIn((await mailsTo(mailbox, user.email, 2))[1] ?? { text: '' });
      return { user, code: new URL(link).searchParams.get('oobCode') ?? '' };
    };
    const ends: string[] = [];
    let next = prepareProcess(1);
    let intrusion = await withDatabase(createIntrusion);
    for (let step = 1; ends.at(-1) !== 'done'; step += 1) {
      const [present, { user, code }] = [next, intrusion];
      next = prepareProcess(step + 1);
      const end = await present.run({ code });
      ends.push(end);
      await withDatabase(async (records) => {
        await disavowSignIn(code, toRequest(null));
        const { providerData, tokensValidAfterTime = '' } = await getIdentityAdmin().getUser(user.uid);
        expect(providerData, end).toMatchObject([{ providerId: 'password' }]);
        const found = await read(records, user);
        const theirs = found.sessions.find(({ disavowedAt }) => disavowedAt !== null);
        expect(theirs?.endedAt, end).toBeInstanceOf(Date);
        expect(Date.parse(tokensValidAfterTime), end).toBeGreaterThan(theirs?.authenticatedAt.getTime() ?? Infinity);
        expect(
          found.devices.map(({ cookieDigest }) => cookieDigest),
          end,
        ).toEqual([null, null]);
        const kinds = found.events.filter((each) => each === 'sign-in-disavowed');
        expect(kinds, end).toHaveLength(1);
        // Each announcement and the email about the removals are sent once.
        expect(await mailsTo(mailbox, user.email, 3), end).toHaveLength(3);
        intrusion = await createIntrusion(records);
      });
    }
    next.stop();
    for (const name of ['getUser', 'fetch', 'transact']) expect(ends).toContain(`killed after ${name}`);
  });
});
