// Threats: interleaved-change, email-change-abused
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { eq } from 'drizzle-orm';
import { expect, inject, test, vi } from 'vitest';
import { getIdentityAdmin } from '@/lib/server/identity/admin';
import { findById } from '@/lib/server/identity/find';
import { getProvedEmail, PROVED_ADDRESS_CLAIM } from '@/lib/server/policy/account';
import { readSecondFactor } from '@/lib/server/second-factor/factors';
import { getRecords } from '@/lib/server/storage/records';
import { emailChanges } from '@/lib/server/storage/records/schema';
import { UNHURRIED, type Answer, type CookieJar } from '../support/client';
import { ACCOUNT_CHANGES, askForEmail, enrol, serveInterleaved, signIn } from '../support/interleaved-changes';
import { mailsTo } from '../support/mail';
import { readEmail } from '../support/mailbox-owner';
import { work } from '../support/deletions';
import { interleaveProvider, type Prepared } from '../support/interleaving';
import { createTestUser, type TestUser } from '../support/test-users';

// A change of the email meets another change of the same owner at every moment. The two wait for each other, so the
// second begins at that moment and ends when it can.

const interleave = interleaveProvider();
const app = serveInterleaved();
vi.setConfig(UNHURRIED);

type Asked = Awaited<ReturnType<typeof askForEmail>>;
/** The states in which both calls have ended. `rival`: the other call's response, if it is a call. */
type Ended = { user: TestUser; asked: Asked; phone: CookieJar; answer: Answer; rival: unknown };
type Rival = {
  /** Whether the owner has a second factor. */
  hasFactor?: boolean;
  prepare: (user: TestUser, asked: Asked) => Promise<() => Promise<unknown>> | (() => Promise<unknown>);
  expectAfter?: (ended: Ended) => Promise<void>;
};

const readAccountEmail = async (uid: string) => (await findById(uid))?.facts.email;
const isOk = (answer: unknown) => (answer as Answer | undefined)?.status === 200;
const ownChange = (name: string): Rival['prepare'] => {
  const change = ACCOUNT_CHANGES[name] ?? expect.unreachable(name);
  return async (user) => (await change(app, user)).run;
};

const RIVALS: Record<string, Rival> = {
  'the same code again': {
    prepare: (_user, { confirm }) => confirm,
    expectAfter: async ({ answer, rival, asked, user }) => {
      expect([answer, rival].filter(isOk)).toHaveLength(1);
      expect(await readAccountEmail(user.uid)).toBe(asked.to);
    },
  },
  'a request for another email': {
    prepare:
      (_user, { laptop }) =>
      () =>
        app.call(laptop, 'account/email', { email: `${randomUUID()}@new.test` }),
  },
  'an undo by the former mailbox': {
    prepare: (_user, { undo }) => undo,
    // Whichever was first: the former mailbox has the account.
    expectAfter: async ({ rival, user, asked }) => {
      expect(isOk(rival)).toBe(true);
      expect(await readAccountEmail(user.uid)).toBe(user.email);
      expect(isOk(await asked.confirm())).toBe(false);
      expect(await readAccountEmail(user.uid)).toBe(user.email);
    },
  },
  'a reset of the password': { prepare: ownChange('a password reset with a code') },
  'a change of the password': { prepare: ownChange('a password changed') },
  'a sign-in by an emailed link': { prepare: ownChange('a sign-in by an emailed link') },
  'a passkey': { prepare: ownChange('a passkey added') },
  'a deletion': {
    prepare: ownChange('a deletion requested'),
    expectAfter: ({ answer, rival }) => {
      expect(isOk(answer) || isOk(rival)).toBe(true);
      return Promise.resolve();
    },
  },
  'a disavowal': {
    prepare: ownChange('a sign-in disavowed'),
    // The former mailbox has the account, with a second link if the email was changed first.
    expectAfter: async ({ user, asked, rival }) => {
      expect(rival).toBeUndefined();
      if ((await readAccountEmail(user.uid)) !== user.email) {
        await work(await getRecords());
        const told = (await mailsTo({ mailboxUrl: inject('mailboxUrl') }, user.email, 0)).map(readEmail);
        const again = told.findLast(({ mode }) => mode === 'disavowSignIn');
        const answer = await app.call(app.newBrowser(), 'actions/disavow-sign-in', { code: again?.oobCode });
        expect([answer.status, answer.body]).toEqual([200, { email: user.email }]);
      }
      expect(await app.check(asked.laptop)).toBe(401);
      expect(await readAccountEmail(user.uid)).toBe(user.email);
    },
  },
  'a second factor turned off': {
    hasFactor: true,
    prepare: async ({ uid }, { laptop }) => {
      const { apps } = await readSecondFactor(await getRecords(), uid);
      return () => app.call(laptop, 'second-factor/remove-app', { id: apps[0]?.id });
    },
    expectAfter: async ({ answer, rival, user: { uid, email }, asked: { to } }) => {
      expect(isOk(answer) || isOk(rival)).toBe(true);
      expect(await readAccountEmail(uid)).toBe(isOk(answer) ? to : email);
      const { since } = await readSecondFactor(await getRecords(), uid);
      const isOn = !isOk(rival);
      expect([since !== null, (await findById(uid))?.facts.hasSecondFactor]).toEqual([isOn, isOn]);
    },
  },
  'another owner of the new email': {
    prepare:
      (_user, { to }) =>
      async () => {
        const { uid } = await getIdentityAdmin().createUser({ email: to, emailVerified: true });
        await getIdentityAdmin().setCustomUserClaims(uid, { [PROVED_ADDRESS_CLAIM]: to });
      },
  },
};

async function prepare({
  hasFactor = false,
  prepare: prepareRival,
  expectAfter,
}: Rival): Promise<Prepared & { begin: () => Promise<void> }> {
  const user = await createTestUser();
  await getIdentityAdmin().setCustomUserClaims(user.uid, { [PROVED_ADDRESS_CLAIM]: user.email });
  const phone = await signIn(app, user, 'phone');
  const enrolled = hasFactor ? await enrol(app, user) : null;
  const asked = await askForEmail(app, user, enrolled?.laptop);
  const runRival = await prepareRival(user, asked);
  let [answer, rival, under]: [Answer | null, unknown, Promise<void> | null] = [null, null, null];
  return {
    ...user,
    ...(enrolled && { showFactor: enrolled.showFactor }),
    other: asked.to,
    begin: async () => {
      under = (async () => void (rival = await runRival().catch((error: unknown) => error)))();
      await Promise.race([under, sleep(300)]);
    },
    run: async () => {
      answer = await asked.confirm();
      await under;
    },
    expectAfter: async () => {
      await under;
      await expectConsistent({ user, asked, phone, answer: answer as unknown as Answer, rival });
      await expectAfter?.({ user, asked, phone, answer: answer as unknown as Answer, rival });
    },
  };
}

/** The parts of an account agree: what the provider has, what is proved, and whether the change counts as done. */
async function expectConsistent({ user: { uid, email }, asked: { to }, phone, answer }: Ended): Promise<void> {
  const account = await findById(uid);
  const present = account?.facts.email ?? '';
  expect([email, to]).toContain(present);
  expect(account && getProvedEmail(account.user)).toBe(present);
  const rows = await (
    await getRecords()
  ).query((tx) => tx.select().from(emailChanges).where(eq(emailChanges.uid, uid)));
  const isDone = rows.some((row) => row.doneAt !== null && row.endedAt === null && row.to === to);
  expect(isDone).toBe(present === to);
  if (isOk(answer)) expect(await app.check(phone)).toBe(401);
}

test.each(Object.keys(RIVALS))('a change of the email at the same time as %s', async (name) => {
  const rival = RIVALS[name] ?? expect.unreachable(name);
  const begins = new Map<string, () => Promise<void>>();
  const moments = await interleave(
    app,
    async () => {
      const prepared = await prepare(rival);
      begins.set(prepared.email, prepared.begin);
      return prepared;
    },
    async ({ email }) => {
      await begins.get(email)?.();
      return {};
    },
  );
  expect(moments).toBeGreaterThan(1);
});
