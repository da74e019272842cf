// Threats: email-change-abused, account-lock, split-state
import { randomUUID } from 'node:crypto';
import { eq, sql } from 'drizzle-orm';
import { expect, test, vi } from 'vitest';
import { emailChangeJobs, undoEmailChange } from '@/lib/server/accounts/email-change';
import { drainBehindResponses } from '@/lib/server/http/behind-response';
import { getIdentityAdmin } from '@/lib/server/identity/admin';
import { sealEmailUndoLink } from '@/lib/server/codes/links';
import { getProvedEmail } from '@/lib/server/policy/account';
import { getRecords } from '@/lib/server/storage/records';
import { exportEvents } from '@/lib/server/storage/records/events';
import { runJobs } from '@/lib/server/storage/records/jobs';
import { listPasskeys } from '@/lib/server/storage/records/passkeys';
import { emailChanges, jobs, passkeys } from '@/lib/server/storage/records/schema';
import { getOwnBrand, toNoticeBrand } from '@/lib/server/notifications';
import { moveAccount } from '@/lib/server/support/move';
import { freezeAt, overtake } from '../support/account-lock';
import { nextSecond, UNHURRIED, type Answer, type CookieJar } from '../support/client';
import { codeIn } from '../support/mail';
import { emailAfter, enterByMailbox } from '../support/mailbox-owner';
import { takeRecordsAway } from '../support/records-away';
import { serveSessions } from '../support/session-app';
import { createTestUser, fetchIdToken, type TestUser } from '../support/test-users';

// A process that changes an email stands still at any call to the database, for longer than its lock lasts. Others act
// on the account. Then the process continues.

process.env.TRUSTED_PROXY_HOPS = '1';
const app = serveSessions();
vi.setConfig(UNHURRIED);
const PREPARED_AT_ONCE = 6;

let network = 0;
function newBrowser() {
  const browser = app.newBrowser();
  network += 1;
  browser.headers['x-forwarded-for'] = `198.${String(18 + (network >> 8))}.${String(network & 255)}.7`;
  return browser;
}
const newEmail = () => `${randomUUID()}@new.test`;
const readUser = (uid: string) => getIdentityAdmin().getUser(uid);
const undo = (code: string) => app.call(newBrowser(), 'actions/undo-email-change', { code });
const confirm = (browser: CookieJar, code: string) => app.call(browser, 'account/email/confirm', { code });
/** Asks for another email. @returns the code of the new mailbox, and the link of the former one */
async function ask(laptop: CookieJar) {
  const to = newEmail();
  const mail = await emailAfter(to, () => app.call(laptop, 'account/email', { email: to }));
  const rows = await (await getRecords()).query((tx) => tx.select().from(emailChanges).where(eq(emailChanges.to, to)));
  const { id: change, uid } = rows[0] ?? expect.unreachable('no request');
  const link = await sealEmailUndoLink({ uid, change, at: new Date().toISOString(), copyTo: '' });
  return { to, code: codeIn(mail), change, link };
}

async function prepare() {
  const owner = await createTestUser();
  const laptop = newBrowser();
  expect((await app.open(laptop, await fetchIdToken(owner))).status).toBe(200);
  await nextSecond();
  const { uid, email } = owner;
  const row = {
    ...{ id: randomUUID(), uid, credentialId: randomUUID(), publicKey: 'key', algorithm: -7, counter: 0 },
    ...{ transports: [], aaguid: randomUUID(), backupEligible: true, backedUp: true, userVerified: true },
    ...{ rpId: 'localhost', email, name: null, source: 'settings', createdAt: new Date(Date.now() - 9 * 86_400_000) },
  };
  await (await getRecords()).transact((tx) => tx.insert(passkeys).values(row));
  return { owner, laptop, ...(await ask(laptop)) };
}
type Ready = Awaited<ReturnType<typeof prepare>>;

/** Runs the change once for each of its calls to the database, frozen before the call or before its answer. */
async function freezeEverywhere(
  begin: (ready: Ready) => Promise<() => Promise<unknown>>,
  meanwhile: (ready: Ready) => Promise<unknown>,
  expectAfter: (ready: Ready, moment: string) => Promise<void>,
): Promise<number> {
  for (let at = 0; ;) {
    for (const ready of await Promise.all(Array.from({ length: PREPARED_AT_ONCE }, prepare))) {
      const run = await begin(ready);
      const moment = { at: Math.floor(at / 2), isSent: at % 2 === 1 };
      const { uid } = ready.owner;
      let failure: unknown = null;
      const others = () => meanwhile(ready).catch((error: unknown) => void (failure = error));
      const wasFrozen = await freezeAt(moment, run, () => overtake(uid, others));
      if (!wasFrozen) return at;
      expect(failure, JSON.stringify(moment)).toBeNull();
      await drainBehindResponses();
      await expectAfter(ready, JSON.stringify(moment));
      at += 1;
    }
  }
}

async function finishDue({ uid }: TestUser): Promise<void> {
  const records = await getRecords();
  await records.transact((tx) =>
    tx.execute(sql`update jobs set due_at = now() where uid = ${uid} and sent_at is null`),
  );
  await runJobs(records, emailChangeJobs);
}

/** The account, its passkeys and its emails agree. */
async function expectAt(email: string, { owner: { uid } }: Ready, moment: string): Promise<void> {
  const user = await readUser(uid);
  expect([user.email, getProvedEmail(user)], moment).toEqual([email, email]);
  const { passkeys: own } = await listPasskeys(await getRecords(), uid);
  for (const passkey of own) expect(passkey.email, moment).toBe(email);
}
const countEvents = async ({ owner: { uid } }: Ready, kind: string) =>
  (await exportEvents(await getRecords(), uid)).filter((event) => event.kind === kind).length;
const isOk = (answer: unknown) => (answer as Answer | null)?.status === 200;

test('the former mailbox undoes a change while its process stands still', async () => {
  let changed: unknown;
  const moments = await freezeEverywhere(
    ({ laptop, code }) => Promise.resolve(async () => (changed = await confirm(laptop, code))),
    async ({ link }) => expect((await undo(link)).status).toBe(200),
    async (ready, moment) => {
      const { owner } = ready;
      await finishDue(owner);
      await expectAt(owner.email, ready, moment);
      expect(await countEvents(ready, 'email-changed'), moment).toBeLessThan(2);
      if (isOk(changed)) expect(await countEvents(ready, 'email-changed'), moment).toBe(1);
    },
  );
  expect(moments).toBeGreaterThan(10);
});

test('the former mailbox undoes a change while the process that finishes it stands still', async () => {
  // As after an interruption between the identity provider's change and the records of it.
  const interrupt = async ({ owner, laptop, code, change }: Ready) => {
    const { uid, email } = owner;
    expect((await confirm(laptop, code)).status).toBe(200);
    await nextSecond();
    const row = { id: randomUUID(), uid, kind: 'email-change-finishing', key: change, createdAt: new Date() };
    const body = { brand: toNoticeBrand(getOwnBrand()), client: {} };
    await (
      await getRecords()
    ).transact(async (tx) => {
      await tx.insert(jobs).values({ ...row, body, dueAt: new Date() });
      await tx.update(passkeys).set({ email }).where(eq(passkeys.uid, uid));
    });
    return () => finishDue(owner);
  };
  const moments = await freezeEverywhere(
    interrupt,
    async ({ link }) => expect((await undo(link)).status).toBe(200),
    async (ready, moment) => {
      await finishDue(ready.owner);
      await expectAt(ready.owner.email, ready, moment);
    },
  );
  expect(moments).toBeGreaterThan(10);
});

test('an operator moves an account while the process that restores its email stands still', async () => {
  const target = new Map<string, string>();
  const moments = await freezeEverywhere(
    async ({ laptop, code, link }) => {
      expect((await confirm(laptop, code)).status).toBe(200);
      await nextSecond();
      return () =>
        undoEmailChange(link, { network: null, browser: null, system: null }).catch((error: unknown) => error);
    },
    async ({ owner: { uid } }) => {
      const to = newEmail();
      target.set(uid, to);
      await moveAccount({ operator: 'Ada', uid, to, reason: 'a ticket' });
    },
    async (ready, moment) => {
      const to = target.get(ready.owner.uid) ?? expect.unreachable(moment);
      await expectAt(to, ready, moment);
      expect((await undo(ready.link)).status, moment).not.toBe(200);
      await expectAt(to, ready, moment);
    },
  );
  expect(moments).toBeGreaterThan(10);
});

test('an interrupted restoration leaves no link of a later change alive', async () => {
  const { owner, laptop, code, link } = await prepare();
  expect((await confirm(laptop, code)).status).toBe(200);
  await nextSecond();
  // The intruder changes it again, so that a mailbox of theirs has a link.
  const second = await ask(laptop);
  expect((await confirm(laptop, second.code)).status).toBe(200);
  await nextSecond();
  const real = globalThis.fetch;
  let bringBack: (() => void) | null = null;
  const spy = vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
    const answer = await real(input, init);
    const body = typeof init?.body === 'string' ? init.body : '';
    if (body.includes(`"email":"${owner.email}"`)) bringBack ??= await takeRecordsAway();
    return answer;
  });
  expect((await undo(link)).status).toBe(503);
  spy.mockRestore();
  (bringBack as (() => void) | null)?.();
  expect((await readUser(owner.uid)).email).toBe(owner.email);
  expect((await undo(second.link)).status).not.toBe(200);
  expect((await readUser(owner.uid)).email).toBe(owner.email);
  expect((await undo(link)).status).toBe(200);
  expect(await enterByMailbox({ ...app, newBrowser }, owner.email)).toBe(owner.uid);
});
