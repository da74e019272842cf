// Threats: unnoticed-sign-in, planted-passkey, planted-factor, unproved-rename, provider-domains
// Each removal of a sign-in method, second factor or session sends one email to the account's mailbox
// (docs/account-policy.md#removals).
import { randomUUID } from 'node:crypto';
import { expect, inject, test, vi } from 'vitest';
import { getIdentityAdmin } from '@/lib/server/identity/admin';
import { PROVED_ADDRESS_CLAIM } from '@/lib/server/policy/account';
import { exportSessions } from '@/lib/server/storage';
import { getRecords } from '@/lib/server/storage/records';
import { callProvider, idpResponse } from '../support/accounts-client';
import { nextSecond, UNHURRIED, type CookieJar } from '../support/client';
import { work } from '../support/deletions';
import { linksIn, readMailbox, type Mail } from '../support/mail';
import { enterByMailbox } from '../support/mailbox-owner';
import { serveSecondFactor } from '../support/second-factor-app';
import { createTestUser, fetchIdToken, fetchOrganizationIdToken } from '../support/test-users';

const app = serveSecondFactor();
vi.setConfig(UNHURRIED);
const emulator = { emulatorHost: inject('emulatorHost') };
const provider = (method: string, body: object) => callProvider(emulator, `accounts:${method}`, body);

const SUBJECTS = {
  method: 'A sign-in method was removed from your Campus account',
  passkey: 'A passkey was removed from your Campus account',
  app: 'An authenticator app was removed from your Campus account',
  off: 'Two-step verification is off for your Campus account',
  codes: 'New recovery codes for your Campus account',
  restored: 'We secured your Campus account',
  locked: 'An older Campus account with your email address was locked',
  refused: 'We disconnected a sign-in method from your Campus account',
  disconnected: 'We disconnected sign-in methods from your Campus account',
  password: 'Your Campus password was changed',
  proved: 'Sign-in methods were removed from your Campus account',
  undone: 'We undid a sign-in to your Campus account',
  signedOut: 'Devices were signed out of your Campus account',
} as const;

async function readMails(): Promise<Mail[]> {
  await work(await getRecords());
  return readMailbox({ mailboxUrl: inject('mailboxUrl') }, app.user.email);
}

/** Lists everything by which the test's account is signed in to. */
async function readAll(): Promise<string[]> {
  const { providerData } = await getIdentityAdmin().getUser(app.user.uid);
  const { apps, codes } = await app.read();
  const sessions = await exportSessions(await getRecords(), app.user.uid);
  return [
    ...providerData.map(({ providerId }) => providerId),
    ...[...(await app.stored()), ...apps].map(({ id }) => id),
    ...codes.map((code) => JSON.stringify(code)),
    ...sessions.filter(({ endedAt }) => endedAt === null).map(({ id }) => id),
  ];
}

async function link(providerId: string, email: string, sub: string = randomUUID()): Promise<void> {
  const idToken = await fetchIdToken(app.user);
  const identity = { sub, email, email_verified: true };
  expect(await provider('signInWithIdp', { idToken, ...idpResponse(providerId, identity) })).toMatchObject({
    status: 200,
  });
}

/** Builds a case in which a session ends another browser's session. */
const endOther = (end: (laptop: CookieJar, phone: CookieJar) => Promise<unknown>): Way => ({
  told: 'signedOut',
  prepare: async () => {
    const [laptop, phone] = [await signInOwner(), app.newBrowser('phone')];
    await app.signIn(phone);
    return () => end(laptop, phone);
  },
});

async function signInOwner(): Promise<CookieJar> {
  const laptop = app.newBrowser();
  await app.signIn(laptop);
  await nextSecond();
  return laptop;
}

const move = async () => {
  const email = `thief-${randomUUID().slice(0, 8)}@mallory.test`;
  expect(await provider('update', { idToken: await fetchIdToken(app.user), email })).toMatchObject({ status: 200 });
  return email;
};

/** Prepares a removal. @returns a function that makes it */
type Way = { told: keyof typeof SUBJECTS; prepare: () => Promise<() => Promise<unknown>> };

const WAYS: Record<string, Way> = {
  'its owner removes a method': {
    told: 'method',
    prepare: async () => {
      const laptop = await signInOwner();
      await link('google.com', app.user.email);
      const token = await fetchIdToken(app.user);
      return () => app.call(laptop, 'account/unlink-method', { token, method: 'google.com' });
    },
  },
  'its owner removes a passkey': {
    told: 'passkey',
    prepare: async () => {
      const { laptop, id } = await app.enroll();
      return () => app.call(laptop, 'passkeys/remove', { id });
    },
  },
  'its owner removes the last app': {
    told: 'off',
    prepare: async () => {
      const { laptop } = await app.enrol();
      const [first] = (await app.read()).apps;
      return () => app.call(laptop, 'second-factor/remove-app', { id: first?.id });
    },
  },
  'its owner takes new recovery codes': {
    told: 'codes',
    prepare: async () => {
      const { laptop } = await app.enrol();
      return async () => {
        const { recoveryCodes } = await app.post(laptop, 'recovery-codes');
        return app.post(laptop, 'confirm-codes', { recoveryCode: recoveryCodes[0] });
      };
    },
  },
  'its proved address is restored': {
    told: 'restored',
    prepare: async () => {
      await signInOwner();
      const token = await fetchIdToken({ ...app.user, email: await move() });
      return () => app.open(app.newBrowser(), token);
    },
  },
  'its address was proved for another account': {
    told: 'locked',
    prepare: async () => {
      await signInOwner();
      const idToken = await fetchIdToken({ ...app.user, email: await move() });
      const other = await createTestUser();
      await getIdentityAdmin().updateUser(other.uid, { email: app.user.email });
      await getIdentityAdmin().setCustomUserClaims(other.uid, { [PROVED_ADDRESS_CLAIM]: app.user.email });
      return () => app.open(app.newBrowser(), idToken);
    },
  },
  'a partner asserts it outside its domains': {
    told: 'refused',
    prepare: async () => {
      const token = await fetchOrganizationIdToken('saml.acme', app.user.email);
      return () => app.open(app.newBrowser(), token);
    },
  },
  'identities of others leave no room in the cookie': {
    told: 'disconnected',
    prepare: async () => {
      for (let i = 0; i < 10; i += 1) await link(`oidc.p${String(i)}`, 'mallory@mallory.test', 'i'.repeat(255));
      const token = await fetchIdToken(app.user);
      return () => app.open(app.newBrowser(), token);
    },
  },
  'its mailbox is proved for the first time': {
    told: 'password',
    prepare: async () => {
      await link('google.com', 'mallory@mallory.test');
      await getIdentityAdmin().updateUser(app.user.uid, { emailVerified: false });
      return () => enterByMailbox(app, app.user.email);
    },
  },
  'a session ends another one': endOther(async (laptop, phone) =>
    app.call(laptop, 'account/end-sessions', { session: await app.getId(phone) }),
  ),
  'a session ends all others': endOther((laptop) => app.call(laptop, 'account/end-sessions', { others: true })),
  'a session ends all': endOther((laptop) => app.call(laptop, 'account/sign-out-everywhere')),
  'a sign-in is disavowed': {
    told: 'undone',
    prepare: async () => {
      await signInOwner();
      const phone = app.newBrowser('phone');
      await app.signIn(phone);
      expect((await app.add(phone)).status).toBe(200);
      await nextSecond();
      const mail = (await readMails()).find(({ subject }) => subject === 'New sign-in to Campus');
      const code = new URL(linksIn(mail ?? { text: '' })[0] ?? '').searchParams.get('oobCode');
      // Pressing twice at the same time sends one email.
      const press = () => app.call(app.newBrowser(), 'actions/disavow-sign-in', { code });
      return () => Promise.all([press(), press()]);
    },
  },
};

test.each(Object.entries(WAYS).map(([name, way]) => ({ name, ...way })))('$name', async ({ told, prepare }) => {
  const carryOut = await prepare();
  const [before, earlier] = [await readAll(), (await readMails()).length];
  await carryOut();
  const after = await readAll();
  expect(before.filter((each) => !after.includes(each))).not.toEqual([]);
  const subjects: string[] = Object.values(SUBJECTS);
  const read = async () => (await readMails()).slice(earlier).map(({ subject }) => subject);
  await expect
    .poll(async () => (await read()).filter((subject) => subjects.includes(subject)))
    .toEqual([SUBJECTS[told]]);
});
