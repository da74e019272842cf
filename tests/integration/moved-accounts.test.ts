// Threats: unproved-rename
import { randomUUID } from 'node:crypto';
import { describe, expect, inject, test, vi } from 'vitest';
import { findLocked, findUser } from '@/cli/find-user';
import { PROVED_ADDRESS_CLAIM } from '@/lib/server/policy/account';
import { drainBehindResponses } from '@/lib/server/http/behind-response';
import { getIdentityAdmin } from '@/lib/server/identity/admin';
import { findById } from '@/lib/server/identity/find';
import { MAX_IN_AN_HOUR } from '@/lib/server/notifications/outbox/outbox';
import { getRecords } from '@/lib/server/storage/records';
import { passkeys } from '@/lib/server/storage/records/schema';
import { nullOnProblem } from '@/lib/shared/problem';
import { callProvider, idpResponse, tokenBy } from '../support/accounts-client';
import { nextSecond, UNHURRIED, type CookieJar } from '../support/client';
import { work } from '../support/deletions';
import { readMailbox } from '../support/mail';
import { emailAfter, enterByMailbox, exchange, readEmail } from '../support/mailbox-owner';
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

type Code = { email: string; requestType: string; oobCode: string };
async function readProviderCode(email: string, kind: string): Promise<string> {
  const list = await fetch(`http://${emulator.emulatorHost}/emulator/v1/projects/demo-campus/oobCodes`);
  const { oobCodes } = (await list.json()) as { oobCodes: Code[] };
  return oobCodes.filter((code) => code.email === email && code.requestType === kind).at(-1)?.oobCode ?? '';
}

/** How someone who knows the password moves an account at the identity provider's public API. */
const MOVES: Record<string, (user: TestUser, to: string) => Promise<unknown>> = {
  'an emailed change': async (user, newEmail) => {
    await provider('sendOobCode', {
      requestType: 'VERIFY_AND_CHANGE_EMAIL',
      idToken: await fetchIdToken(user),
      newEmail,
    });
    return provider('update', { oobCode: await readProviderCode(user.email, 'VERIFY_AND_CHANGE_EMAIL') });
  },
  'a change without an email': async (user, email) => provider('update', { idToken: await fetchIdToken(user), email }),
  'a sign-up with its token': async (user, email) =>
    provider('signUp', { idToken: await fetchIdToken(user), email, password: 'mallory-pass-1' }),
};

/** The owner as a first sign-in here leaves her: nothing but that says whose the email is. */
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

/** Everything that names the account or its email, with what it answers when that matters. */
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

async function readSubjects(email: string): Promise<string[]> {
  await work(await getRecords());
  return (await readMailbox({ mailboxUrl: inject('mailboxUrl') }, email)).map(({ subject }) => subject);
}

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
  // The emulator revokes the cookies of a session with the other changes, before it is asked for the account.
  const bySession = ['a session check', 'a renewal', 'a page of the account', 'a code for the mobile app'];
  const all = Object.keys(RETURNS).filter((by) => how === 'an emailed change' || !bySession.includes(by));

  test.each(all)('is restored by %s, and its owner told', async (by) => {
    const laptop = await signInOwner();
    await addPasskey(app.user);
    await move(how);
    await RETURNS[by]?.({ laptop });
    await expectRestored(app.user);
    // No one has shown it at the identity provider.
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
    // Of the other account it is gone: the next sign-in by it is to the owner's.
    const { localId } = (await provider('signInWithIdp', identity)).body;
    expect(localId).toBe(app.user.uid);
  });

  test('stays with the account for which its mailbox was proved since', async () => {
    await signInOwner();
    const moved = await move('an emailed change');
    // As by another product of the operator, or while the database was away.
    const other = await createTestUser();
    await getIdentityAdmin().updateUser(other.uid, { email: app.user.email });
    await getIdentityAdmin().setCustomUserClaims(other.uid, { [PROVED_ADDRESS_CLAIM]: app.user.email });
    const token = await fetchIdToken({ email: moved, password: app.user.password });
    app.expectCode(await app.open(app.newBrowser(), token), 401, 'user-disabled');
    expect((await readAccount(other.uid)).email).toBe(app.user.email);
    expect((await readAccount(app.user.uid)).email).toMatch(/@unproved\.invalid$/);
    expect(await readSubjects(app.user.email)).toContain('An older Campus account with your email address was locked');
    // An operator sees it, and gives it back by deleting the other one.
    expect((await findLocked(await readAccount(other.uid))).map(({ uid }) => uid)).toEqual([app.user.uid]);
    await getIdentityAdmin().deleteUser(other.uid);
    expect((await findById(app.user.uid))?.user).toMatchObject({ email: app.user.email, emailVerified: true });
  });

  test('is not taken from an account that no one else has proved', async () => {
    const email = newAddress();
    const { localId } = (await squat(email)).body;
    await app.call(app.newBrowser(), 'sign-in-help', { email });
    await drainBehindResponses();
    expect((await readAccount(String(localId))).email).toBe(email);
  });
});

/** What an attacker does at the identity provider all the time, two at once, while something else is done. */
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
      // As any request for the account does. One whose tries all came too late is repeated by its user.
      await expect.poll(async () => (await nullOnProblem(findById(app.user.uid)))?.user.email).toBe(email);
    },
  );
  expect((await readSubjects(email)).filter((subject) => subject === SECURED).length).toBeLessThanOrEqual(
    MAX_IN_AN_HOUR,
  );
});

test('an account that is moved again and again is restored each time, and its owner gets five emails an hour', async () => {
  const laptop = await signInOwner();
  // It works for an hour, whatever is revoked meanwhile.
  const custom = String((await app.call(laptop, 'auto-sign-in')).body?.customToken);
  for (let times = 0; times <= MAX_IN_AN_HOUR; times += 1) {
    await nextSecond();
    const idToken = await idTokenByCustomToken(custom);
    await provider('update', { idToken, email: newAddress() });
    await app.open(ofOtherNetwork(app.newBrowser()), idToken);
    expect((await readAccount(app.user.uid)).email).toBe(app.user.email);
  }
  expect((await readSubjects(app.user.email)).filter((subject) => subject === SECURED)).toHaveLength(MAX_IN_AN_HOUR);
});

test('an operator finds a moved account by the email that it has proved, and is told of another one that has it', async () => {
  await signInOwner();
  const moved = await move('an emailed change');
  const { uid, email } = app.user;
  for (const name of [email, email.toUpperCase(), moved, uid]) expect((await findUser(name))?.uid).toBe(uid);
  const { localId } = (await provider('signUp', { email, password: 'mallory-pass-2' })).body;
  await expect(findUser(email)).rejects.toThrow(new RegExp(`${uid} has proved .* ${String(localId)} has it now`));
  // To look at it changes nothing.
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
  // However often it does that: its mailbox is not filled.
  for (let times = 0; times < MAX_IN_AN_HOUR; times += 1)
    await app.open(app.newBrowser(), await fetchOrganizationIdToken('saml.acme', app.user.email));
  const refused = 'We disconnected a sign-in method from your Campus account';
  expect((await readSubjects(app.user.email)).filter((subject) => subject === refused)).toHaveLength(MAX_IN_AN_HOUR);
});
