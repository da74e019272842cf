// Threats: unproved-rename
import { randomUUID } from 'node:crypto';
import { and, eq, isNull } from 'drizzle-orm';
import { describe, expect, inject, test, vi } from 'vitest';
import { findLocked, findUser } from '@/cli/find-user';
import { PROVED_ADDRESS_CLAIM } from '@/lib/server/policy/account';
import { drainBehindResponses } from '@/lib/server/http/behind-response';
import { getIdentityAdmin } from '@/lib/server/identity/admin';
import { findById } from '@/lib/server/identity/find';
import { MAX_IN_AN_HOUR } from '@/lib/server/notifications/outbox/outbox';
import { storeProvedEmails } from '@/lib/server/storage';
import { getRecords } from '@/lib/server/storage/records';
import { jobs, passkeys } from '@/lib/server/storage/records/schema';
import { nullOnProblem } from '@/lib/shared/problem';
import { callProvider, createAccountsClient, idpResponse, tokenBy } from '../support/accounts-client';
import { holdAccountLock } from '../support/account-lock';
import { nextSecond, UNHURRIED, type CookieJar } from '../support/client';
import { work } from '../support/deletions';
import { readMailbox, type Mail } from '../support/mail';
import { emailAfter, enterByMailbox, exchange, readEmail } from '../support/mailbox-owner';
import { takeRecordsAway } from '../support/records-away';
import { serveSessions } from '../support/session-app';
import {
  createTestUser,
  fetchIdToken,
  fetchOrganizationIdToken,
  idTokenByCustomToken,
  type TestUser,
} from '../support/test-users';

process.env.TRUSTED_PROXY_HOPS = '1';
const app = serveSessions();
vi.setConfig(UNHURRIED);
const emulator = { emulatorHost: inject('emulatorHost') };
const provider = (method: string, body: object) =>
  callProvider(emulator, `accounts:${method}`, { returnSecureToken: true, ...body });

const operator = createAccountsClient({ ...emulator, projectId: 'demo-campus' });

/** Actions by which someone who knows the password moves an account at the identity provider's public API. */
const MOVES: Record<string, (user: TestUser, to: string) => Promise<unknown>> = {
  'an emailed change': async (user, newEmail) => {
    await provider('sendOobCode', {
      requestType: 'VERIFY_AND_CHANGE_EMAIL',
      idToken: await fetchIdToken(user),
      newEmail,
    });
    return provider('update', { oobCode: await operator.readProviderCode(user.email, 'VERIFY_AND_CHANGE_EMAIL') });
  },
  'a change without an email': async (user, email) => provider('update', { idToken: await fetchIdToken(user), email }),
  'a sign-up with its token': async (user, email) =>
    provider('signUp', { idToken: await fetchIdToken(user), email, password: 'mallory-pass-1' }),
};

/** Signs in the owner for the first time here. Only this proves whose the email is. */
async function signInOwner() {
  const laptop = app.newBrowser();
  await app.signIn(laptop);
  await nextSecond();
  return laptop;
}

const newAddress = () => `thief-${randomUUID().slice(0, 8)}@mallory.test`;
const readAccount = (uid: string) => getIdentityAdmin().getUser(uid);

async function move(how: string, user = app.user): Promise<string> {
  const to = newAddress();
  await MOVES[how]?.(user, to);
  expect((await readAccount(user.uid)).email, how).toBe(to);
  return to;
}

const ofOtherNetwork = (browser: CookieJar) => {
  browser.headers['x-forwarded-for'] = `203.0.${String(Math.floor(Math.random() * 250))}.7`;
  return browser;
};
const ask = (path: string) => async () => {
  await app.call(ofOtherNetwork(app.newBrowser()), path, { email: app.user.email });
  await drainBehindResponses();
};

/** Requests that name the account or its email, with their response where it matters. */
const RETURNS: Record<string, (owner: { laptop: CookieJar }) => Promise<unknown>> = {
  'a session check': ({ laptop }) => app.check(laptop),
  'a renewal': ({ laptop }) => app.renew(laptop),
  'a page of the account': ({ laptop }) => app.call(laptop, 'account/activity', { before: null }),
  'a code for the mobile app': ({ laptop }) => app.call(laptop, 'auto-sign-in'),
  'a password reset': ask('password-reset'),
  'a sign-in link': ask('email-link'),
  'help with signing in': ask('sign-in-help'),
  'a registration': async () => {
    const values = { name: 'Mia Moreau', email: app.user.email, password: 'quiet-lantern-42' };
    await app.call(ofOtherNetwork(app.newBrowser()), 'registration', values);
    await drainBehindResponses();
  },
  'a social sign-in that makes another account': async () => {
    const { email } = app.user;
    const token = await tokenBy(
      emulator,
      'signInWithIdp',
      idpResponse('google.com', { sub: randomUUID(), email, email_verified: true }),
    );
    app.expectCode(await app.open(app.newBrowser(), token), 401, 'token-revoked');
  },
};

async function readMails(email: string): Promise<Mail[]> {
  await work(await getRecords());
  return readMailbox({ mailboxUrl: inject('mailboxUrl') }, email);
}
const readSubjects = async (email: string) => (await readMails(email)).map(({ subject }) => subject);

const addPasskey = async ({ uid, email }: TestUser) => {
  const row = {
    ...{ id: randomUUID(), uid, credentialId: randomUUID(), publicKey: 'key', algorithm: -7, counter: 0 },
    ...{
      transports: [],
      aaguid: randomUUID(),
      backupEligible: true,
      backedUp: true,
      userVerified: true,
      rpId: 'localhost',
    },
    ...{ email, name: null, source: 'settings', createdAt: new Date(), lastUsedAt: null, suspectAt: null },
  };
  await (await getRecords()).transact((tx) => tx.insert(passkeys).values(row));
};
const countPasskeys = async (uid: string) => {
  const rows = await (await getRecords()).transact((tx) => tx.select().from(passkeys));
  return rows.filter((row) => row.uid === uid).length;
};

const SECURED = 'We secured your Campus account';
async function expectRestored({ uid, email }: TestUser): Promise<void> {
  const { email: present, emailVerified, providerData, disabled } = await readAccount(uid);
  expect({ present, emailVerified, disabled }).toEqual({ present: email, emailVerified: true, disabled: false });
  expect(providerData.map(({ providerId }) => providerId)).not.toContain('password');
  const restored = (await readSubjects(email)).filter((subject) => subject === SECURED);
  expect(restored).toHaveLength(1);
}

describe.each(Object.keys(MOVES))('an account that was moved by %s', (how) => {
  // The emulator revokes a session's cookies with the other changes, before the account is read.
  const bySession = ['a session check', 'a renewal', 'a page of the account', 'a code for the mobile app'];
  const all = Object.keys(RETURNS).filter((by) => how === 'an emailed change' || !bySession.includes(by));

  test.each(all)('is restored by %s, and its owner told', async (by) => {
    const laptop = await signInOwner();
    await addPasskey(app.user);
    await move(how);
    await RETURNS[by]?.({ laptop });
    await expectRestored(app.user);
    // The identity provider has no proof that anyone used the passkey there, so it stays.
    expect(await countPasskeys(app.user.uid)).toBe(1);
    const phone = { ...app, newBrowser: () => ofOtherNetwork(app.newBrowser('phone')) };
    expect(await enterByMailbox(phone, app.user.email)).toBe(app.user.uid);
  });
});

describe('the freed email of an account that was moved', () => {
  const squat = (email: string) => provider('signUp', { email, password: 'mallory-pass-2' });

  test.each(Object.keys(RETURNS).filter((by) => !by.startsWith('a social')))(
    'is given back by %s although someone has registered it',
    async (by) => {
      const laptop = await signInOwner();
      await move('an emailed change');
      const { localId } = (await squat(app.user.email)).body;
      await RETURNS[by]?.({ laptop });
      await expectRestored(app.user);
      expect(await getIdentityAdmin().getUsers([{ uid: String(localId) }])).toMatchObject({ users: [] });
    },
  );

  test('is given back although a provider verifies it for the other account', async () => {
    const laptop = await signInOwner();
    await move('an emailed change');
    const { email } = app.user;
    const identity = idpResponse('google.com', { sub: randomUUID(), email, email_verified: true });
    await tokenBy(emulator, 'signInWithIdp', identity);
    await app.check(laptop);
    await expectRestored(app.user);
    // The other account has lost this identity, so its next sign-in leads to the owner's account.
    const { localId } = (await provider('signInWithIdp', identity)).body;
    expect(localId).toBe(app.user.uid);
  });

  test('stays with the account for which its mailbox was proved since', async () => {
    await signInOwner();
    const moved = await move('an emailed change');
    // Another product of the operator can do this, or it happened while the database was away.
    const other = await createTestUser();
    await getIdentityAdmin().updateUser(other.uid, { email: app.user.email });
    await getIdentityAdmin().setCustomUserClaims(other.uid, { [PROVED_ADDRESS_CLAIM]: app.user.email });
    const token = await fetchIdToken({ email: moved, password: app.user.password });
    app.expectCode(await app.open(app.newBrowser(), token), 401, 'user-disabled');
    expect((await readAccount(other.uid)).email).toBe(app.user.email);
    expect((await readAccount(app.user.uid)).email).toMatch(/@unproved\.invalid$/);
    expect(await readSubjects(app.user.email)).toContain('An older Campus account with your email address was locked');
    // An operator sees the locked account, and returns the email by deleting the other account.
    expect((await findLocked(await readAccount(other.uid))).map(({ uid }) => uid)).toEqual([app.user.uid]);
    await getIdentityAdmin().deleteUser(other.uid);
    expect((await findById(app.user.uid))?.user).toMatchObject({ email: app.user.email, emailVerified: true });
  });

  test('stays with an account whose mailbox is proved while another one waits to take it', async () => {
    const laptop = await signInOwner();
    await move('an emailed change');
    const { uid, email } = app.user;
    const { localId } = (await squat(email)).body;
    const holder = String(localId);
    const read = vi.spyOn(getIdentityAdmin(), 'getUserByEmail');
    let restored: Promise<unknown> = Promise.resolve();
    const endProof = await holdAccountLock(holder);
    try {
      restored = app.check(laptop);
      // The holder of the email is read first, and again after the owner was notified.
      await expect.poll(() => read.mock.calls.length).toBeGreaterThanOrEqual(2);
      await expect.poll(() => readSubjects(email)).toContain(SECURED);
      // These are the writes of a mailbox proof, which now has its turn.
      await getIdentityAdmin().updateUser(holder, { emailVerified: true });
      await getIdentityAdmin().setCustomUserClaims(holder, { [PROVED_ADDRESS_CLAIM]: email });
    } finally {
      read.mockRestore();
      await endProof();
      await restored;
    }
    expect(await readAccount(holder)).toMatchObject({ email, emailVerified: true });
    expect((await readAccount(uid)).email).toMatch(/@unproved\.invalid$/);
  });

  test('is asked for a bounded number of times while the account that has it gives way slowly', async () => {
    const laptop = await signInOwner();
    await move('an emailed change');
    await squat(app.user.email);
    const admin = getIdentityAdmin();
    const deleteUser = admin.deleteUser.bind(admin);
    const slow = vi.spyOn(admin, 'deleteUser');
    let writes = 0;
    const isOfOwner = (body: unknown) => typeof body === 'string' && body.includes(app.user.uid);
    const realFetch = globalThis.fetch;
    const counted = vi.spyOn(globalThis, 'fetch').mockImplementation((input, init) => {
      const address = input instanceof Request ? input.url : String(input);
      if (address.includes('accounts:update') && isOfOwner(init?.body)) writes += 1;
      return realFetch(input, init);
    });
    slow.mockImplementation(async (uid) => {
      // Continues until the writes stop, or exceed the limit.
      let before = -1;
      while (before < writes && writes < 200) {
        before = writes;
        await new Promise((resolve) => setTimeout(resolve, 1_000));
      }
      await deleteUser(uid);
    });
    await app.check(laptop);
    counted.mockRestore();
    slow.mockRestore();
    expect(writes).toBeGreaterThan(4);
    expect(writes).toBeLessThan(60);
    await expectRestored(app.user);
  });

  test('is not taken from an account that no one else has proved', async () => {
    const email = newAddress();
    const { localId } = (await squat(email)).body;
    await app.call(app.newBrowser(), 'sign-in-help', { email });
    await drainBehindResponses();
    expect((await readAccount(String(localId))).email).toBe(email);
  });
});

/** Repeats an attack at the identity provider in two parallel loops while other work runs. */
async function during(attack: () => Promise<unknown>, work: () => Promise<unknown>): Promise<void> {
  let isOver = false;
  const repeat = async () => {
    while (!isOver) await attack();
  };
  const attacks = [repeat(), repeat()];
  try {
    await work();
  } finally {
    isOver = true;
    await Promise.all(attacks);
  }
}

test('an account is restored although someone registers its freed email all the time', async () => {
  await signInOwner();
  await move('an emailed change');
  const { email } = app.user;
  await during(
    () => provider('signUp', { email, password: 'mallory-pass-2' }),
    async () => {
      // Polled like any request for the account. If all tries came too late, the user repeats the request.
      await expect.poll(async () => (await nullOnProblem(findById(app.user.uid)))?.user.email).toBe(email);
    },
  );
  expect((await readSubjects(email)).filter((subject) => subject === SECURED).length).toBeLessThanOrEqual(
    MAX_IN_AN_HOUR,
  );
});

test('an account that is moved again and again is restored each time, and its owner told of all that was removed', async () => {
  const laptop = await signInOwner();
  // This token works for an hour, even after a revocation.
  const custom = String((await app.call(laptop, 'auto-sign-in')).body?.customToken);
  for (let times = 0; times <= MAX_IN_AN_HOUR; times += 1) {
    await nextSecond();
    // The owner has set a new password, which the next repair removes.
    if (times === MAX_IN_AN_HOUR) await getIdentityAdmin().updateUser(app.user.uid, { password: 'staple-battery-9' });
    const idToken = await idTokenByCustomToken(custom);
    await provider('update', { idToken, email: newAddress() });
    await app.open(ofOtherNetwork(app.newBrowser()), idToken);
    expect((await readAccount(app.user.uid)).email).toBe(app.user.email);
  }
  const readSecured = async () => (await readMails(app.user.email)).filter(({ subject }) => subject === SECURED);
  expect(await readSecured()).toHaveLength(MAX_IN_AN_HOUR);
  const waiting = and(eq(jobs.uid, app.user.uid), isNull(jobs.sentAt));
  const records = await getRecords();
  await records.query((tx) => tx.update(jobs).set({ dueAt: new Date() }).where(waiting));
  const told = await readSecured();
  expect(told).toHaveLength(MAX_IN_AN_HOUR + 1);
  expect(told.at(-1)?.text).toMatch(/removed[^.]*password/i);
});

test('codes that were kept of changes of the email move the account once more each, and the owner is told each time', async () => {
  await signInOwner();
  const { email, uid } = app.user;
  const idToken = await fetchIdToken(app.user);
  const codes: string[] = [];
  for (let i = 0; i < 3; i += 1) {
    const change = { requestType: 'VERIFY_AND_CHANGE_EMAIL', idToken, newEmail: newAddress() };
    expect((await provider('sendOobCode', change)).status).toBe(200);
    codes.push(await operator.readProviderCode(email, 'VERIFY_AND_CHANGE_EMAIL'));
  }
  for (const [at, oobCode] of codes.entries()) {
    // The owner has since chosen a new password, which an intruder who kept the codes does not know.
    await getIdentityAdmin().updateUser(uid, { password: `staple-battery-${String(at)}` });
    expect((await provider('update', { oobCode })).status).toBe(200);
    expect((await readAccount(uid)).email).not.toBe(email);
    expect((await findById(uid))?.user).toMatchObject({ email, emailVerified: true });
    const told = (await readMails(email)).filter(({ subject }) => subject === SECURED);
    expect(told).toHaveLength(at + 1);
    expect(told.at(-1)?.text).toMatch(/removed[^.]*password/i);
  }
});

test('an operator finds a moved account by the email that it has proved, and is told of another one that has it', async () => {
  await signInOwner();
  const moved = await move('an emailed change');
  const { uid, email } = app.user;
  for (const name of [email, email.toUpperCase(), moved, uid]) expect((await findUser(name))?.uid).toBe(uid);
  const { localId } = (await provider('signUp', { email, password: 'mallory-pass-2' })).body;
  await expect(findUser(email)).rejects.toThrow(new RegExp(`${uid} has proved .* ${String(localId)} has it now`));
  // Reading it changes nothing.
  expect((await readAccount(uid)).email).toBe(moved);
});

describe('an account that two of its emails are fought over', () => {
  test('two accounts whose emails were exchanged both get their own back', async () => {
    const first = app.user;
    await signInOwner();
    const second = await createTestUser();
    await app.open(app.newBrowser(), await fetchIdToken(second));
    await nextSecond();
    await move('a change without an email', first);
    await provider('update', { idToken: await fetchIdToken(second), email: first.email });
    const spare = (await readAccount(first.uid)).email ?? '';
    await provider('update', { idToken: await fetchIdToken({ ...first, email: spare }), email: second.email });
    for (const { email } of [first, second]) {
      await app.call(ofOtherNetwork(app.newBrowser()), 'sign-in-help', { email });
      await drainBehindResponses();
    }
    expect((await readAccount(first.uid)).email).toBe(first.email);
    expect((await readAccount(second.uid)).email).toBe(second.email);
    for (const { email } of [first, second]) expect(await readSubjects(email)).toContain(SECURED);
  });

  test('a move is undone by a sign-in at its new email', async () => {
    await signInOwner();
    const moved = await move('an emailed change');
    await nextSecond();
    const token = await fetchIdToken({ email: moved, password: app.user.password });
    app.expectCode(await app.open(app.newBrowser(), token), 401, 'token-revoked');
    await expectRestored(app.user);
  });

  test('a request at the new email finds no account there', async () => {
    await signInOwner();
    const moved = await move('an emailed change');
    const browser = ofOtherNetwork(app.newBrowser());
    const mail = await emailAfter(moved, () => app.call(browser, 'sign-in-help', { email: moved }));
    expect(mail.text).toContain('no account');
    await expectRestored(app.user);
  });
});

describe('a browser of which nothing is known', () => {
  const isAnnounced = async (email: string) => (await readSubjects(email)).includes('New sign-in to Campus');

  test('is announced, of an account without devices', async () => {
    const user = await createTestUser();
    expect(await app.open(app.newBrowser(), await fetchIdToken(user))).toMatchObject({ status: 200 });
    expect(await isAnnounced(user.email)).toBe(true);
  });

  test('is silent when it completes a registration there', async () => {
    const email = newAddress();
    const browser = ofOtherNetwork(app.newBrowser());
    const values = { name: 'Mia Moreau', email, password: 'quiet-lantern-42' };
    const { code } = readEmail(await emailAfter(email, () => app.call(browser, 'registration', values)));
    expect(await exchange(app, browser, await app.call(browser, 'registration/confirm', { code }))).toMatchObject({
      status: 200,
    });
    expect(await isAnnounced(email)).toBe(false);
  });

  test('is silent when a provider makes the account by this sign-in, and not at its next one', async () => {
    const email = newAddress();
    const identity = idpResponse('google.com', { sub: randomUUID(), email, email_verified: true });
    const sign = () => tokenBy(emulator, 'signInWithIdp', identity);
    expect(await app.open(app.newBrowser(), await sign())).toMatchObject({ status: 200 });
    expect(await isAnnounced(email)).toBe(false);
    await new Promise((resolve) => setTimeout(resolve, 2_100));
    expect(await app.open(app.newBrowser('phone'), await sign())).toMatchObject({ status: 200 });
    expect(await isAnnounced(email)).toBe(true);
  });
});

test('a partner that asserts an email outside its domains is disconnected, and the owner told', async () => {
  const laptop = await signInOwner();
  const token = await fetchOrganizationIdToken('saml.acme', app.user.email);
  app.expectCode(await app.open(app.newBrowser(), token), 422, 'invalid-enterprise-domain');
  expect((await readAccount(app.user.uid)).providerData.map(({ providerId }) => providerId)).toEqual(['password']);
  expect(await readSubjects(app.user.email)).toContain('We disconnected a sign-in method from your Campus account');
  expect(await app.check(laptop)).toBe(401);
  // However often the organization does it, the number of emails to the mailbox is limited.
  for (let times = 0; times < MAX_IN_AN_HOUR; times += 1)
    await app.open(app.newBrowser(), await fetchOrganizationIdToken('saml.acme', app.user.email));
  const refused = 'We disconnected a sign-in method from your Campus account';
  expect((await readSubjects(app.user.email)).filter((subject) => subject === refused)).toHaveLength(MAX_IN_AN_HOUR);
});

test('an account that was moved and moved back keeps its identities of the email, and loses what the mover knows', async () => {
  await signInOwner();
  const { uid, email, password } = app.user;
  const identity = idpResponse('google.com', { sub: randomUUID(), email, email_verified: true });
  await provider('signInWithIdp', { ...identity, idToken: await fetchIdToken(app.user) });
  const moved = await move('a change without an email');
  const idToken = await fetchIdToken({ email: moved, password });
  expect((await provider('update', { idToken, email })).status).toBe(200);
  expect((await readAccount(uid)).emailVerified).toBe(false);
  await nextSecond();
  const phone = ofOtherNetwork(app.newBrowser());
  const token = await tokenBy(emulator, 'signInWithIdp', identity);
  app.expectCode(await app.open(phone, token), 403, 'email-not-verified');
  expect(await enterByMailbox({ ...app, newBrowser: () => phone }, email)).toBe(uid);
  const left = (await readAccount(uid)).providerData.map(({ providerId }) => providerId).sort();
  expect(left).toEqual(['google.com', 'password']);
  expect((await provider('signInWithPassword', { email, password })).status).toBe(400);
});

test('an imported account that was never signed in to is not moved by a proof of another mailbox', async () => {
  const { uid, email } = app.user;
  // The import of a verified user writes this claim.
  await getIdentityAdmin().setCustomUserClaims(uid, { [PROVED_ADDRESS_CLAIM]: email });
  await storeProvedEmails([{ uid, email }]);
  const moved = await move('an emailed change');
  const token = await fetchIdToken({ email: moved, password: app.user.password });
  const thief = ofOtherNetwork(app.newBrowser());
  app.expectCode(await app.call(thief, 'email-confirmation', { token }), 401, 'token-revoked');
  await expectRestored(app.user);
  app.expectCode(await app.open(thief, token), 401, 'token-revoked');
  const phone = { ...app, newBrowser: () => ofOtherNetwork(app.newBrowser('phone')) };
  expect(await enterByMailbox(phone, email)).toBe(uid);
});

describe('while the database is away', () => {
  const refused = 'We disconnected a sign-in method from your Campus account';

  test('a moved account is restored by its session, and its owner told once', async () => {
    const laptop = await signInOwner();
    await move('an emailed change');
    await provider('signUp', { email: app.user.email, password: 'mallory-pass-2' });
    const end = await takeRecordsAway();
    try {
      await app.check(laptop);
      await expect.poll(() => app.check(laptop)).toBe(401);
    } finally {
      end();
    }
    await expectRestored(app.user);
    const phone = { ...app, newBrowser: () => ofOtherNetwork(app.newBrowser('phone')) };
    expect(await enterByMailbox(phone, app.user.email)).toBe(app.user.uid);
  });

  test('its mailbox gets no more emails that others cause than otherwise', async () => {
    const laptop = await signInOwner();
    const custom = String((await app.call(laptop, 'auto-sign-in')).body?.customToken);
    const end = await takeRecordsAway();
    try {
      for (let times = 0; times < MAX_IN_AN_HOUR + 2; times += 1) {
        await nextSecond();
        const idToken = await idTokenByCustomToken(custom);
        await provider('update', { idToken, email: newAddress() });
        await app.open(ofOtherNetwork(app.newBrowser()), idToken);
        expect((await readAccount(app.user.uid)).email).toBe(app.user.email);
      }
      await drainBehindResponses();
    } finally {
      end();
    }
    expect((await readSubjects(app.user.email)).filter((subject) => subject === SECURED)).toHaveLength(MAX_IN_AN_HOUR);
  });

  test('a partner outside its domains is refused with 503, and disconnected at its next sign-in afterwards', async () => {
    await signInOwner();
    const enter = async () => app.open(app.newBrowser(), await fetchOrganizationIdToken('saml.acme', app.user.email));
    const end = await takeRecordsAway();
    try {
      app.expectCode(await enter(), 503, 'records-unavailable');
      await drainBehindResponses();
    } finally {
      end();
    }
    expect(await readSubjects(app.user.email)).not.toContain(refused);
    app.expectCode(await enter(), 422, 'invalid-enterprise-domain');
    expect(await readSubjects(app.user.email)).toContain(refused);
  });
});
