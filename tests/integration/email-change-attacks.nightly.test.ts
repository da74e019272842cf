// ASVS: 6.3.7, 7.4.3, 7.5.1
// Threats: email-change-abused, split-state
import { randomUUID } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { describe, expect, inject, test, vi } from 'vitest';
import { drainBehindResponses } from '@/lib/server/http/behind-response';
import { getIdentityAdmin } from '@/lib/server/identity/admin';
import { getProvedEmail } from '@/lib/server/policy/account';
import { getRecords } from '@/lib/server/storage/records';
import { emailChanges, passkeys } from '@/lib/server/storage/records/schema';
import { callProvider, idpResponse } from '../support/accounts-client';
import { nextSecond, UNHURRIED, type Answer, type CookieJar } from '../support/client';
import { work } from '../support/deletions';
import { codeIn, mailsTo, type Mail } from '../support/mail';
import { emailAfter, enterByMailbox, exchange, readEmail } from '../support/mailbox-owner';
import { serveSessions } from '../support/session-app';
import { createTestUser, fetchIdToken, idTokenByCustomToken, type TestUser } from '../support/test-users';

process.env.TRUSTED_PROXY_HOPS = '1';
const app = serveSessions();
vi.setConfig(UNHURRIED);
const mailbox = { mailboxUrl: inject('mailboxUrl') };
const newEmail = () => `${randomUUID()}@new.test`;
const provider = (method: string, body: object) =>
  callProvider({ emulatorHost: inject('emulatorHost') }, `accounts:${method}`, { returnSecureToken: true, ...body });

/** Each browser has a network of its own, because these tests are not about the budgets. */
let network = 0;
function newBrowser(agent?: 'laptop' | 'phone') {
  const browser = app.newBrowser(agent);
  network += 1;
  browser.headers['x-forwarded-for'] = `198.${String(18 + (network >> 8))}.${String(network & 255)}.7`;
  return browser;
}
async function signInOwner() {
  const browser = newBrowser();
  await app.signIn(browser);
  await nextSecond();
  return browser;
}

const ask = (browser: CookieJar, email: unknown) => app.call(browser, 'account/email', { email });
const confirm = (browser: CookieJar, code: string) => app.call(browser, 'account/email/confirm', { code });
const result = ({ status, body }: Pick<Answer, 'status' | 'body'>) => [status, body?.code];
const readUser = (uid = app.user.uid) => getIdentityAdmin().getUser(uid);
const readMails = async (email: string) => {
  await work(await getRecords());
  return mailsTo(mailbox, email, 0);
};
const askAndRead = (browser: CookieJar, to: string) => emailAfter(to, () => ask(browser, to));
const lastUndo = async (email = app.user.email): Promise<string> => {
  const mails = (await readMails(email)).filter(({ text }) => text.includes('undoEmailChange'));
  return String(readEmail(mails.at(-1) as Mail).oobCode);
};
const undo = (code: string) => app.call(newBrowser(), 'actions/undo-email-change', { code });
const byLink = (browser: CookieJar, mail: Mail) =>
  app.call(browser, 'actions/change-email', { code: readEmail(mail).oobCode });
const enter = (email = app.user.email) => enterByMailbox({ ...app, newBrowser: () => newBrowser('phone') }, email);

/** Changes the email by the code, as an intruder in a session does. @returns the first link of the former mailbox */
async function steal(laptop: CookieJar, to = newEmail()) {
  const mail = await askAndRead(laptop, to);
  const link = await lastUndo();
  expect((await confirm(laptop, codeIn(mail))).status).toBe(200);
  await nextSecond();
  return { to, link, mail };
}

/** The claim and the email are the same, and the owner is in by the former mailbox alone. */
async function expectOwned(email = app.user.email) {
  const user = await readUser();
  expect([user.email, user.emailVerified, getProvedEmail(user), user.disabled]).toEqual([email, true, email, false]);
}
async function expectReturned(link: string) {
  expect(result(await undo(link))).toEqual([200, undefined]);
  await expectOwned();
  expect(await enter()).toBe(app.user.uid);
}

async function addPasskey(createdAt: Date): Promise<string> {
  const { uid } = app.user;
  const id = randomUUID();
  const row = {
    ...{ id, uid, credentialId: randomUUID(), publicKey: 'key', algorithm: -7, counter: 0 },
    ...{ transports: [], aaguid: randomUUID(), backupEligible: true, backedUp: true, userVerified: true },
    ...{ rpId: 'localhost', email: (await readUser()).email ?? '', name: null, source: 'settings', createdAt },
  };
  await (await getRecords()).transact((tx) => tx.insert(passkeys).values(row));
  return id;
}
const readRequests = async () =>
  (await getRecords()).query((tx) => tx.select().from(emailChanges).where(eq(emailChanges.uid, app.user.uid)));
const readPasskeys = async () =>
  (await getRecords()).query((tx) => tx.select().from(passkeys).where(eq(passkeys.uid, app.user.uid)));

const isWrite = (input: unknown, init: RequestInit | undefined) =>
  (input instanceof Request ? input.url : String(input)).includes('accounts:update') && init?.method === 'POST';

/**
 * Runs a call while the identity provider is lost after a number of its writes, for this and all later calls.
 * @returns whether it was lost
 */
async function loseProviderAfter(writes: number, isCarriedOut: boolean, run: () => Promise<unknown>) {
  const realFetch = globalThis.fetch;
  let count = 0;
  const spy = vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
    if (!isWrite(input, init)) return realFetch(input, init);
    count += 1;
    if (count === writes + 1 && isCarriedOut) await realFetch(input, init);
    if (count > writes) throw new TypeError('The connection was closed');
    return realFetch(input, init);
  });
  try {
    await run();
  } finally {
    spy.mockRestore();
  }
  return count > writes;
}

describe('an interruption', () => {
  test.each([true, false])('of a restoration keeps the link, with the write carried out: %s', async (isCarriedOut) => {
    for (let writes = 0; ; writes += 1) {
      const owner = await createTestUser();
      const laptop = newBrowser();
      await app.open(laptop, await fetchIdToken(owner));
      await nextSecond();
      const to = newEmail();
      const mail = await askAndRead(laptop, to);
      const link = await lastUndo(owner.email);
      expect((await confirm(laptop, codeIn(mail))).status).toBe(200);
      await nextSecond();
      let first: Answer | null = null;
      const wasLost = await loseProviderAfter(writes, isCarriedOut, async () => (first = await undo(link)));
      if (!wasLost) break;
      const again = await undo(link);
      const isDone = (first as Answer | null)?.status === 200;
      expect(isDone || again.status === 200, JSON.stringify({ writes, first, again })).toBe(true);
      const user = await readUser(owner.uid);
      expect([user.email, getProvedEmail(user)], `after ${String(writes)} writes`).toEqual([owner.email, owner.email]);
      expect(await app.check(laptop)).toBe(401);
      expect(await enter(owner.email)).toBe(owner.uid);
    }
  });

  /** Prepares a change of an owner's email. @returns a function that makes it */
  const changes: Record<string, (laptop: CookieJar, owner: TestUser) => Promise<() => Promise<Answer>>> = {
    'by a code': async (laptop) => {
      const mail = await askAndRead(laptop, newEmail());
      return () => confirm(laptop, codeIn(mail));
    },
    'to a recovery email of long ago': async (laptop, { uid, email }) => {
      const to = newEmail();
      const mail = await emailAfter(to, () => app.call(laptop, 'account/email', { email: to, use: 'recovery' }));
      expect((await confirm(laptop, codeIn(mail))).status).toBe(200);
      await readMails(email);
      await (await getRecords()).transact((tx) => tx.delete(emailChanges).where(eq(emailChanges.uid, uid)));
      return () => app.call(laptop, 'account/recovery-email', { change: 'use' });
    },
  };
  const cases = Object.keys(changes).flatMap((how) =>
    [true, false].map((isCarriedOut) => [how, isCarriedOut] as const),
  );
  test.each(cases)('of a change %s leaves a way back, with the write carried out: %s', async (how, isCarriedOut) => {
    for (let writes = 0; ; writes += 1) {
      const owner = await createTestUser();
      const laptop = newBrowser();
      await app.open(laptop, await fetchIdToken(owner));
      await nextSecond();
      const run = (await changes[how]?.(laptop, owner)) ?? expect.unreachable(how);
      const wasLost = await loseProviderAfter(writes, isCarriedOut, run);
      const user = await readUser(owner.uid);
      expect(getProvedEmail(user)).toBe(user.email);
      if (!wasLost) {
        expect(user.email).not.toBe(owner.email);
        break;
      }
      expect(await undo(await lastUndo(owner.email))).toMatchObject({ status: 200 });
      expect((await readUser(owner.uid)).email).toBe(owner.email);
      expect(await enter(owner.email)).toBe(owner.uid);
    }
  });
});

test('a passkey that an intruder adds before the request does not survive a restoration', async () => {
  const laptop = await signInOwner();
  const own = await addPasskey(new Date(Date.now() - 8 * 86_400_000));
  await addPasskey(new Date(Date.now() - 60_000));
  const { link } = await steal(laptop);
  await addPasskey(new Date(Date.now() + 1_000));
  await expectReturned(link);
  expect((await readPasskeys()).map(({ id, email }) => [id, email])).toEqual([[own, app.user.email]]);
});

describe('requests at the same moment', () => {
  const uses: Record<string, (given: { laptop: CookieJar; mail: Mail; link: string }) => Promise<unknown>[]> = {
    'the code and the undo': ({ laptop, mail, link }) => [confirm(laptop, codeIn(mail)), undo(link)],
    'the undo and the code': ({ laptop, mail, link }) => [undo(link), confirm(laptop, codeIn(mail))],
    'the link and the undo twice': ({ laptop, mail, link }) => [byLink(laptop, mail), undo(link), undo(link)],
    'code, link and a new request': ({ laptop, mail }) => [
      confirm(laptop, codeIn(mail)),
      byLink(laptop, mail),
      ask(laptop, newEmail()),
    ],
    'the code and a reset of the former mailbox': ({ laptop, mail }) => [
      confirm(laptop, codeIn(mail)),
      app.call(newBrowser(), 'password-reset', { email: app.user.email }),
    ],
    'the link and a sign-out everywhere': ({ laptop, mail }) => [
      byLink(laptop, mail),
      app.call(laptop.copy(), 'account/sign-out-everywhere'),
    ],
    'the link and a new password': ({ laptop, mail }) => [
      byLink(laptop, mail),
      app.call(laptop.copy(), 'account/password', { current: app.user.password, password: 'quiet-lantern-42' }),
    ],
    'the link and a deletion': ({ laptop, mail }) => [
      byLink(laptop, mail),
      fetchIdToken(app.user).then((token) => app.call(laptop.copy(), 'account/delete', { token })),
    ],
  };
  const cases = Object.keys(uses).flatMap((name) => [0, 15].map((delay) => [name, delay] as const));
  test.each(cases)('%s, and an undo %i ms later, leave one consistent account and a way back', async (name, delay) => {
    const laptop = await signInOwner();
    const mail = await askAndRead(laptop, newEmail());
    const link = await lastUndo();
    const { uid, email } = app.user;
    const calls = uses[name]?.({ laptop, mail, link }) ?? [];
    await new Promise((resolve) => setTimeout(resolve, delay));
    await Promise.all([...calls, undo(link)]);
    await drainBehindResponses();
    await nextSecond();
    const user = await readUser(uid);
    expect(getProvedEmail(user)).toBe(user.email);
    if (user.email !== email) expect(result(await undo(await lastUndo(email)))).toEqual([200, undefined]);
    await expectOwned();
    expect(await enter()).toBe(uid);
  });
});

describe('someone with the password at the identity provider', () => {
  test('squats the former email, and gives way to its owner', async () => {
    const laptop = await signInOwner();
    const { link } = await steal(laptop);
    const { body } = await provider('signUp', { email: app.user.email, password: 'mallory-pass-2' });
    expect(body.localId).toBeDefined();
    await expectReturned(link);
    expect(await getIdentityAdmin().getUsers([{ uid: String(body.localId) }])).toMatchObject({ users: [] });
    expect(await app.check(laptop)).toBe(401);
  });

  test('squats the former email all the time', async () => {
    const laptop = await signInOwner();
    const { link } = await steal(laptop);
    let isOver = false;
    const squat = async () => {
      while (!isOver) await provider('signUp', { email: app.user.email, password: 'mallory-pass-2' });
    };
    const squatting = [squat(), squat()];
    try {
      // Within the limit of calls for one link. Any other end of the race is a 503, and the owner presses again.
      await expect.poll(async () => (await undo(link)).status, { interval: 4_000, timeout: 120_000 }).toBe(200);
    } finally {
      isOver = true;
      await Promise.all(squatting);
    }
    await expectOwned();
    expect(await enter()).toBe(app.user.uid);
  });

  test('squats the new email between the request and the confirmation', async () => {
    const laptop = await signInOwner();
    const to = newEmail();
    const mail = await askAndRead(laptop, to);
    await provider('signUp', { email: to, password: 'mallory-pass-2' });
    expect(result(await confirm(laptop, codeIn(mail)))).toEqual([409, 'email-taken']);
    await expectOwned();
    expect(await app.check(laptop)).toBe(200);
  });

  const moves: Record<string, (user: TestUser, email: string) => Promise<unknown>> = {
    'moves it': async (user, email) =>
      provider('update', { idToken: await fetchIdToken({ ...user, email }), email: newEmail() }),
    'moves it to the former email': async (user, email) =>
      provider('update', { idToken: await fetchIdToken({ ...user, email }), email: user.email }),
    'links an identity of the new email': async (user, email) =>
      provider('signInWithIdp', {
        idToken: await fetchIdToken({ ...user, email }),
        ...idpResponse('google.com', { sub: randomUUID(), email, email_verified: true }),
      }),
    'sets another password': async (user, email) =>
      provider('update', { idToken: await fetchIdToken({ ...user, email }), password: 'mallory-pass-3' }),
  };
  test.each(Object.keys(moves))('%s after the change, and is out after the restoration', async (how) => {
    const laptop = await signInOwner();
    const { to, link } = await steal(laptop);
    await moves[how]?.(app.user, to);
    expect(result(await undo(link))).toEqual([200, undefined]);
    await expectOwned();
    expect((await readUser()).providerData.filter(({ providerId }) => providerId !== 'password')).toEqual([]);
    for (const password of [app.user.password, 'mallory-pass-3'])
      for (const email of [to, app.user.email])
        expect((await provider('signInWithPassword', { email, password })).status).toBe(400);
    expect(await app.check(laptop)).toBe(401);
    expect(await enter()).toBe(app.user.uid);
  });
});

describe('what was got before a change or a restoration', () => {
  test('emails to the former mailbox no longer reach the account, and its link does', async () => {
    const laptop = await signInOwner();
    const { email, uid } = app.user;
    const browser = newBrowser('phone');
    const linkBrowser = newBrowser('phone');
    const reset = readEmail(await emailAfter(email, () => app.call(browser, 'password-reset', { email })));
    const signIn = readEmail(await emailAfter(email, () => app.call(linkBrowser, 'email-link', { email })));
    const custom = String((await app.call(laptop, 'auto-sign-in')).body?.customToken);
    const { body: signedIn } = await provider('signInWithPassword', { email, password: app.user.password });
    const { link } = await steal(laptop);
    expect(
      result(await app.call(browser, 'password-reset/confirm', { code: reset.code, password: 'quiet-lantern-42' })),
    ).not.toEqual([200, undefined]);
    expect((await app.call(linkBrowser, 'actions/sign-in', { code: signIn.oobCode, email })).status).not.toBe(200);
    expect((await app.open(newBrowser(), String(signedIn.idToken))).status).toBe(401);
    expect((await app.open(newBrowser(), await idTokenByCustomToken(custom))).status).toBe(401);
    // None of these has created an account that would keep the owner out.
    expect(await getIdentityAdmin().getUsers([{ email }])).toMatchObject({ users: [] });
    expect(result(await undo(link))).toEqual([200, undefined]);
    expect(await enter()).toBe(uid);
  });

  test('sessions, tokens and emails of the intruder do not reach a restored account', async () => {
    const laptop = await signInOwner();
    const { to, link } = await steal(laptop);
    const thief = newBrowser('phone');
    await app.open(thief, await fetchIdToken({ ...app.user, email: to }));
    await nextSecond();
    const browser = newBrowser('phone');
    const linkBrowser = newBrowser('phone');
    const reset = readEmail(await emailAfter(to, () => app.call(browser, 'password-reset', { email: to })));
    const signIn = readEmail(await emailAfter(to, () => app.call(linkBrowser, 'email-link', { email: to })));
    const custom = String((await app.call(thief, 'auto-sign-in')).body?.customToken);
    const next = await askAndRead(thief, newEmail());
    expect(result(await undo(link))).toEqual([200, undefined]);
    expect(
      (await app.call(browser, 'password-reset/confirm', { code: reset.code, password: 'quiet-lantern-42' })).status,
    ).not.toBe(200);
    const entered = await app.call(linkBrowser, 'actions/sign-in', { code: signIn.oobCode, email: to });
    expect((await exchange(app, linkBrowser, entered)).status).not.toBe(200);
    expect((await app.open(newBrowser(), await idTokenByCustomToken(custom))).status).toBe(401);
    expect((await confirm(thief, codeIn(next))).status).toBeGreaterThanOrEqual(400);
    expect((await byLink(thief, next)).status).toBe(401);
    for (const each of [laptop, thief]) expect(await app.check(each)).toBe(401);
    await expectOwned();
  });
});

describe('a request', () => {
  test.each<[string, unknown]>([
    ['an array', ['a@new.test']],
    ['null', null],
    ['a number', 7],
    ['an object', { toString: 'a@new.test' }],
    ['a very long address', `${'a'.repeat(60)}@${'b.'.repeat(200)}test`],
    ['two addresses', 'a@new.test,b@new.test'],
    ['a line break', 'a@new.test\r\nBcc: b@new.test'],
  ])('with %s is refused', async (_, email) => {
    const laptop = await signInOwner();
    expect((await ask(laptop, email)).status).toBe(400);
    expect(await readRequests()).toEqual([]);
  });

  test.each<[string, (email: string) => string, number, string]>([
    ['in capitals', (email) => email.toUpperCase(), 400, 'bad-request'],
    ['in full-width letters', (email) => email.replace('@c', '@\uff43'), 400, 'bad-request'],
    ['with a trailing dot', (email) => `${email}.`, 400, 'bad-request'],
    ['an organization with a trailing dot', () => `${randomUUID()}@acme.test.`, 409, 'email-of-organization'],
    ['an organization in full-width letters', () => `${randomUUID()}@\uff41cme.test`, 409, 'email-of-organization'],
    ['an organization with an ideographic dot', () => `${randomUUID()}@acme\u3002test`, 409, 'email-of-organization'],
  ])('is for the same address if it is written differently: %s', async (_, vary, status, code) => {
    const laptop = await signInOwner();
    expect(result(await ask(laptop, vary(app.user.email)))).toEqual([status, code]);
  });

  test('of another origin, of a tab of another account, or with a copied session is refused', async () => {
    const laptop = await signInOwner();
    const foreign = laptop.copy();
    Object.assign(foreign.headers, { origin: 'https://mallory.test', 'sec-fetch-site': 'cross-site' });
    expect((await ask(foreign, newEmail())).status).toBe(403);
    const stale = laptop.copy();
    stale.headers['x-account-uid'] = 'another';
    expect((await ask(stale, newEmail())).status).toBeGreaterThanOrEqual(400);
    const copied = laptop.copy();
    delete copied.cookies.device;
    expect((await ask(copied, newEmail())).status).toBeGreaterThanOrEqual(401);
    expect(await readRequests()).toEqual([]);
  });

  test('of an email that was proved by an account which was moved away does not get it', async () => {
    const other = await createTestUser();
    const otherBrowser = newBrowser();
    await app.open(otherBrowser, await fetchIdToken(other));
    await nextSecond();
    const { body } = await provider('signInWithPassword', { email: other.email, password: other.password });
    await provider('update', { idToken: body.idToken, email: newEmail() });
    const laptop = await signInOwner();
    expect((await ask(laptop, other.email)).status).toBe(200);
    await drainBehindResponses();
    const mails = await readMails(other.email);
    expect(mails.map(({ subject }) => subject)).toContain('This email address already has a Campus account');
    expect(mails.some(({ text }) => /^[0-9A-Z]{6}$/m.test(text))).toBe(false);
    expect((await readUser(other.uid)).email).toBe(other.email);
  });
});

test('a sign-in that the former mailbox disavows does not keep the email that the intruder gave the account', async () => {
  const owner = await signInOwner();
  expect(await app.check(owner)).toBe(200);
  const intruder = newBrowser('phone');
  await app.signIn(intruder);
  await nextSecond();
  const told = (await readMails(app.user.email)).map(readEmail).findLast(({ mode }) => mode === 'disavowSignIn');
  const { to } = await steal(intruder);
  const disavow = (code: unknown) => app.call(newBrowser(), 'actions/disavow-sign-in', { code });
  // The account has changed since, so the mailbox is asked again: the former one, not the intruder's.
  const first = await disavow(told?.oobCode);
  expect([first.status, first.body]).toEqual([200, { email: null, asksMailbox: true }]);
  expect((await readMails(to)).map(readEmail).some(({ mode }) => mode === 'disavowSignIn')).toBe(false);
  const again = (await readMails(app.user.email)).map(readEmail).findLast(({ mode }) => mode === 'disavowSignIn');
  const second = await disavow(again?.oobCode);
  expect([second.status, second.body]).toEqual([200, { email: app.user.email }]);
  await expectOwned();
  expect(await app.check(intruder)).toBe(401);
  expect(await enter()).toBe(app.user.uid);
});

test('the link of a stolen second change does not take the account from the first mailbox', async () => {
  const laptop = await signInOwner();
  const first = await steal(laptop);
  const third = await askAndRead(laptop, newEmail());
  const [confirmed, undone] = await Promise.all([byLink(laptop, third), undo(first.link)]);
  expect([200, 401, 410]).toContain(confirmed.status);
  expect(undone.status).toBe(200);
  await expectOwned();
  expect((await byLink(laptop, third)).status).toBe(401);
});
