import { sql } from 'drizzle-orm';
import { randomBytes, randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, inject, test, vi } from 'vitest';
import { isApiProblem } from '@/lib/shared/problem';
import { PROVED_ADDRESS_CLAIM } from '@/lib/server/policy/account';
import { getIdentityAdmin } from '@/lib/server/identity/admin';
import { sealDisavowalLink } from '@/lib/server/codes/links';
import { drainBehindResponses } from '@/lib/server/http/behind-response';
import { getRecords } from '@/lib/server/storage/records';
import { listPasskeys } from '@/lib/server/storage/records/passkeys';
import { readRecoveryEmail } from '@/lib/server/storage/records/recovery-emails';
import { readFactorReset, readWarningSent, type FactorReset } from '@/lib/server/notifications/scheduled/factor-resets';
import { readSecondFactor } from '@/lib/server/second-factor/factors';
import { turnSecondFactorOff } from '@/lib/server/second-factor/removal';
import { importUsers } from '@/lib/server/accounts/import/import-users';
import { idpResponse, tokenBy } from './accounts-client';
import { nextSecond, type CookieJar, UNHURRIED } from './client';
import { work } from './deletions';
import { createResetSteps } from './factor-reset-app';
import { FOREIGN_CHANGES, interleaveProvider, type ForeignChange, type Prepared } from './interleaving';
import { emailAfter, exchange, readEmail } from './mailbox-owner';
import { configureOrigin, serveRemembered } from './remembered-browser';
import { SoftwareAuthenticator } from './software-authenticator';
import { mailsTo } from './mail';
import { createTestUser, fetchIdToken, type TestUser } from './test-users';
import { awaitRoomInStep, SoftwareApp } from './totp';
import { createLinkCode } from './sign-in-link';

export type App = ReturnType<typeof serveRemembered>;
type Change = (app: App, user: TestUser) => Promise<Ready> | Ready;
type Ready = Pick<Prepared, 'run'> & Partial<Prepared>;

/**
 * The account at the start. `proved`: its owner has proved its email here. `verified`: only the identity provider
 * considers it verified. `foreign`: a stranger has created it for the owner's address and knows its password.
 */
export type Start = 'proved' | 'verified' | 'foreign';

const NEW_PASSWORD = 'quiet-lantern-42';
const WORKING = { timeout: 240_000, interval: 5_000 };
const waiting = { signIn: 'waiting' };
const emulator = { emulatorHost: inject('emulatorHost'), projectId: 'demo-campus' };

/** Serves the API to a person in a separate network, because these tests do not cover email budgets. */
export function serveInterleaved(): App {
  process.env.TRUSTED_PROXY_HOPS = '1';
  const app = serveRemembered();
  beforeEach(() => configureOrigin({}));
  const newBrowser: App['newBrowser'] = (agent) => {
    const browser = app.newBrowser(agent);
    const [a, b, c] = randomBytes(3);
    browser.headers['x-forwarded-for'] = `10.${a}.${b}.${c}`;
    return browser;
  };
  return Object.assign(Object.create(app) as App, { newBrowser });
}

export async function signIn(app: App, user: TestUser, agent?: 'laptop' | 'phone') {
  const browser = app.newBrowser(agent);
  expect(await app.open(browser, await fetchIdToken(user))).toMatchObject({ status: 200 });
  return browser;
}

/** Turns on the owner's second factor. */
export async function enrol(app: App, user: TestUser) {
  const laptop = await signIn(app, user);
  const begun = await app.begin(laptop);
  await nextSecond();
  await app.post(laptop, 'confirm-codes', { recoveryCode: begun.codes[0] });
  return { laptop, ...begun, showFactor: showCode(app, begun.codes) };
}

/** Shows recovery codes, beginning with the last. */
const showCode = (app: App, codes: string[]) => (browser: CookieJar) =>
  app.show(browser, { recoveryCode: codes.at(-1) });

/** Connects the owner's own identity, which has the same email. */
const connectGoogle = ({ uid, email }: TestUser) =>
  getIdentityAdmin().updateUser(uid, { providerToLink: { providerId: 'google.com', uid, email } });

const readMethods = async (uid: string) =>
  (await getIdentityAdmin().getUser(uid)).providerData.map(({ providerId }) => providerId);

async function createPasskey(app: App, laptop: CookieJar) {
  const { body } = await app.call(laptop, 'passkeys/creation-options', { source: 'settings' });
  const { options, challenge } = body as { options: Parameters<SoftwareAuthenticator['create']>[0]; challenge: string };
  return { challenge, response: new SoftwareAuthenticator().create(options) };
}

/** Once the owner is in, expects that the stranger who created the account at her address has left no trace. */
const expectNothingForeign: NonNullable<Prepared['expectEntered']> = async ({ uid }) =>
  expect(await readMethods(uid), 'the methods of the account').toEqual(['password']);

/** Changes of a second factor. */
export const FACTOR_CHANGES: Record<string, Change> = {
  'a second factor turned on': async (app, user) => {
    const laptop = await signIn(app, user);
    const { codes } = await app.begin(laptop);
    await nextSecond();
    const run = () => app.call(laptop, 'second-factor/confirm-codes', { recoveryCode: codes[0] });
    return { run, showFactor: showCode(app, codes) };
  },
  'a second factor set up for a sign-in that waits': async (app, user) => {
    await configureOrigin({ secondFactor: { use: 'required' } });
    const phone = app.newBrowser('phone');
    app.expectCode(await app.open(phone, await fetchIdToken(user)), 403, 'second-factor-setup-required');
    const { secret } = await app.post(phone, 'add-app', waiting);
    await awaitRoomInStep();
    const code = new SoftwareApp(secret).codeAt(Math.floor(Date.now() / 30_000) - 1);
    const { recoveryCodes } = await app.post(phone, 'confirm-app', { ...waiting, code });
    await nextSecond();
    const run = async () => {
      await configureOrigin({ secondFactor: { use: 'required' } });
      await app.call(phone, 'second-factor/confirm-codes', { ...waiting, recoveryCode: recoveryCodes[0] });
      await configureOrigin({});
    };
    return { run, showFactor: showCode(app, recoveryCodes) };
  },
  'a claim restored by a sign-in': async (app, user) => {
    const { codeAt, showFactor } = await enrol(app, user);
    await getIdentityAdmin().setCustomUserClaims(user.uid, { [PROVED_ADDRESS_CLAIM]: user.email });
    await nextSecond();
    const phone = app.newBrowser('phone');
    app.expectCode(await app.open(phone, await fetchIdToken(user)), 403, 'second-factor-required');
    return { run: () => app.show(phone, { code: codeAt() }), showFactor };
  },
  'an authenticator app removed': async (app, user) => {
    const { laptop, showFactor } = await enrol(app, user);
    const [installed] = (await readSecondFactor(await getRecords(), user.uid)).apps;
    await nextSecond();
    return { run: () => app.call(laptop, 'second-factor/remove-app', { id: installed?.id }), showFactor };
  },
  'a second factor turned off by an operator': async (app, user) => {
    const { showFactor } = await enrol(app, user);
    // An operator repeats a command that failed because the account had to be restored.
    const isRestored = (error: unknown) => isApiProblem(error) && error.code === 'token-revoked';
    const run = () => turnSecondFactorOff(user.uid).catch((error: unknown) => void expect(error).toSatisfy(isRestored));
    return { run, showFactor };
  },
  'a lost second factor reset': async (app, user) => {
    const { showFactor } = await enrol(app, user);
    await nextSecond();
    const phone = app.newBrowser('phone');
    app.expectCode(await app.open(phone, await fetchIdToken(user)), 403, 'second-factor-required');
    const steps = createResetSteps(Object.create(app, { user: { value: user } }) as App);
    expect(await steps.requestCode(phone)).toMatchObject({ status: 200 });
    expect(await steps.request(phone, await steps.readCode())).toMatchObject({ status: 200 });
    const records = await getRecords();
    const read = async () => (await readFactorReset(records, user.uid)) as FactorReset;
    // Waits until the change is worked on. Changes that are prepared at the same time perform each other's work. Work
    // that began before the time passed postpones the change by a day.
    const isWorkedOn = (readTime: () => Promise<Date | null>) =>
      expect
        .poll(async () => {
          const time = await readTime();
          if (time !== null) return time;
          await records.transact((tx) =>
            tx.execute(sql`update factor_resets set due_at = now() where uid = ${user.uid}`),
          );
          await work(records);
          return readTime();
        }, WORKING)
        .not.toBeNull();
    await steps.pass('24 hours');
    await isWorkedOn(async () => (await read()).remindedAt);
    await steps.pass('47 hours');
    await isWorkedOn(async () => readWarningSent(records, await read()));
    // The reset must not take effect while other changes are prepared or made.
    await steps.pass('30 minutes');
    return { run: () => steps.pass('31 minutes'), showFactor };
  },
};

/** Other changes by the owner of an account, or about it. */
export const ACCOUNT_CHANGES: Record<string, Change> = {
  'a password changed': async (app, user) => {
    const laptop = await signIn(app, user);
    return { run: () => app.call(laptop, 'account/password', { current: user.password, password: NEW_PASSWORD }) };
  },
  'a password reset with a code': async (app, user) => {
    const { email } = user;
    const browser = app.newBrowser();
    const { code } = readEmail(await emailAfter(email, () => app.call(browser, 'password-reset', { email })));
    return { run: () => app.call(browser, 'password-reset/confirm', { code, password: NEW_PASSWORD }) };
  },
  'a sign-in by an emailed link': async (app, user) => {
    const browser = app.newBrowser();
    const code = await createLinkCode(user);
    const { email } = user;
    return { run: async () => exchange(app, browser, await app.call(browser, 'actions/sign-in', { code, email })) };
  },
  'a passkey added': async (app, user) => {
    const laptop = await signIn(app, user);
    const created = await createPasskey(app, laptop);
    return { run: () => app.call(laptop, 'passkeys/add', created) };
  },
  'a passkey removed': async (app, user) => {
    const laptop = await signIn(app, user);
    const added = await app.call(laptop, 'passkeys/add', await createPasskey(app, laptop));
    const { id } = added.body?.passkey as { id: string };
    return { run: () => app.call(laptop, 'passkeys/remove', { id }) };
  },
  'a provider linked': async (app, user) => {
    const laptop = await signIn(app, user);
    const google = { sub: user.uid, email: user.email, email_verified: true };
    const run = async () => {
      const idToken = await fetchIdToken(user).catch(() => null);
      if (idToken === null) return;
      const linked = await tokenBy(emulator, 'signInWithIdp', { idToken, ...idpResponse('google.com', google) });
      await app.open(laptop, linked);
    };
    return { run };
  },
  'a method unlinked': async (app, user) => {
    await connectGoogle(user);
    const laptop = await signIn(app, user);
    const token = await fetchIdToken(user);
    return { run: () => app.call(laptop, 'account/unlink-method', { token, method: 'google.com' }) };
  },
  'a deletion requested': async (app, user) => {
    const laptop = await signIn(app, user);
    const token = await fetchIdToken(user);
    return { run: () => app.call(laptop, 'account/delete', { token }) };
  },
  'a sign-in disavowed': async (app, user) => {
    const { uid, email } = user;
    await signIn(app, user);
    await nextSecond();
    const phone = await signIn(app, user, 'phone');
    const [intruder] = (await app.list(uid)).filter(({ sids }) => sids.includes(phone.cookies.kk_sid ?? ''));
    await work(await getRecords());
    const at = new Date().toISOString();
    const code = await sealDisavowalLink({ uid, session: intruder?.id ?? '', at, to: email });
    return {
      run: async () => {
        const answer = await app.call(app.newBrowser(), 'actions/disavow-sign-in', { code });
        expect([answer.status, answer.body?.code]).toEqual([200, undefined]);
      },
      expectAfter: async ({ wasWrittenAfter, provider }) => {
        const present = await getIdentityAdmin().getUser(uid);
        expect(present.customClaims?.[PROVED_ADDRESS_CLAIM]).toBe(email);
        if (provider !== undefined && wasWrittenAfter) expect(await readMethods(uid)).toEqual(['password']);
      },
    };
  },
  'a user imported': (_app, user) => {
    const victim = `victim-${randomUUID()}@campus.test`;
    const rows = [{ line: 2, row: { uid: randomUUID(), email: victim, emailVerified: 'true' } }];
    const options = { auth: getIdentityAdmin(), project: user.uid, dryRun: false, done: new Map<string, number>() };
    const readAs = { encoding: 'base64', legacy: false, hash: undefined } as const;
    const run = () =>
      importUsers(rows, { ...options, ...readAs, onBatch: () => undefined, onImported: () => Promise.resolve() });
    return { takes: victim, run };
  },
};

/** Changes that end sessions, and nothing else. */
const SESSION_CHANGES: Record<string, Change> = {
  'a sign-out everywhere': async (app, user) => {
    const laptop = await signIn(app, user);
    return { run: () => app.call(laptop, 'account/sign-out-everywhere') };
  },
};

/** Prepares a change of the email: its code is in the new mailbox. @param browser with a session, by default a new one */
export async function askForEmail(app: App, user: TestUser, browser?: CookieJar) {
  const laptop = browser ?? (await signIn(app, user));
  await nextSecond();
  const to = `${randomUUID()}@new.test`;
  const mail = await emailAfter(to, () => app.call(laptop, 'account/email', { email: to }));
  await work(await getRecords());
  const told = await mailsTo({ mailboxUrl: inject('mailboxUrl') }, user.email, 0);
  const undo = told.map(readEmail).findLast(({ mode }) => mode === 'undoEmailChange');
  const confirm = () => app.call(laptop, 'account/email/confirm', { code: readEmail(mail).code });
  return {
    laptop,
    to,
    mail,
    confirm,
    undo: () => app.call(app.newBrowser(), 'actions/undo-email-change', { code: undo?.oobCode }),
  };
}

/** Changes of the email by the owner of an account, who has both mailboxes. */
export const EMAIL_CHANGES: Record<string, Change> = {
  'the email changed': async (app, user) => {
    const { to, confirm } = await askForEmail(app, user);
    return { run: confirm, other: to };
  },
  'a change of the email undone': async (app, user) => {
    const { to, confirm, undo } = await askForEmail(app, user);
    expect(await confirm()).toMatchObject({ status: 200 });
    await nextSecond();
    const run = async () => expect((await undo()).status).toBe(200);
    const expectAfter = async () => expect((await getIdentityAdmin().getUser(user.uid)).email).toBe(user.email);
    return { email: to, other: user.email, run, expectAfter };
  },
};

/** Asks for a recovery email: its code is in its mailbox. */
async function askForRecoveryEmail(app: App, user: TestUser) {
  const laptop = await signIn(app, user);
  await nextSecond();
  const to = `${randomUUID()}@private.test`;
  const mail = await emailAfter(to, () => app.call(laptop, 'account/email', { email: to, use: 'recovery' }));
  const confirm = () => app.call(laptop, 'account/email/confirm', { code: readEmail(mail).code });
  const change = (what: 'remove' | 'use') => app.call(laptop, 'account/recovery-email', { change: what });
  return { to, confirm, change };
}

/** Changes of the recovery email by the owner of an account, who has both mailboxes. */
export const RECOVERY_CHANGES: Record<string, Change> = {
  'a recovery email added': async (app, user) => ({ run: (await askForRecoveryEmail(app, user)).confirm }),
  'a recovery email removed': async (app, user) => {
    const { confirm, change } = await askForRecoveryEmail(app, user);
    expect(await confirm()).toMatchObject({ status: 200 });
    return { run: () => change('remove') };
  },
  'a recovery email made the main one': async (app, user) => {
    const { to, confirm, change } = await askForRecoveryEmail(app, user);
    expect(await confirm()).toMatchObject({ status: 200 });
    return { run: () => change('use'), other: to };
  },
};

/** Changes by the owner of a mailbox if a stranger has created an account for its address. */
export const FIRST_PROOFS: Record<string, Change> = {
  'a registration': (app, user) => {
    const browser = app.newBrowser();
    const values = { name: 'Mia Moreau', email: user.email, password: NEW_PASSWORD };
    const run = async () => {
      const { code } = readEmail(await emailAfter(user.email, () => app.call(browser, 'registration', values)));
      if (code !== undefined) await exchange(app, browser, await app.call(browser, 'registration/confirm', { code }));
    };
    return { run, expectEntered: expectNothingForeign };
  },
  'an email confirmed with a code': async (app, user) => {
    const browser = app.newBrowser();
    const token = await fetchIdToken(user);
    const { code } = readEmail(await emailAfter(user.email, () => app.call(browser, 'email-confirmation', { token })));
    const run = async () => exchange(app, browser, await app.call(browser, 'registration/confirm', { code }));
    // The requesting browser has shown the password that the stranger knows, so he can sign in once the email is
    // confirmed.
    return {
      run,
      expectEntered: async (owner, foreign) =>
        foreign.wasWrittenAfter ? expectNothingForeign(owner, foreign) : undefined,
    };
  },
  'an email confirmed with a link': async (app, user) => {
    const browser = app.newBrowser();
    const mail = await emailAfter(user.email, () => app.call(browser, 'email-link', { email: user.email }));
    const { oobCode: code } = readEmail(mail);
    const run = () => app.call(browser, 'actions/verify-email', { code, password: NEW_PASSWORD });
    return { run, expectEntered: expectNothingForeign };
  },
  'a first sign-in by an emailed link': async (app, user) => {
    const browser = app.newBrowser();
    const code = await createLinkCode(user);
    const { email } = user;
    const run = async () => exchange(app, browser, await app.call(browser, 'actions/sign-in', { code, email }));
    return { run, expectEntered: async ({ uid }) => expect(await readMethods(uid)).not.toContain('google.com') };
  },
  'a first password reset': async (app, user) => {
    const { email } = user;
    const browser = app.newBrowser();
    const { code } = readEmail(await emailAfter(email, () => app.call(browser, 'password-reset', { email })));
    const run = () => app.call(browser, 'password-reset/confirm', { code, password: NEW_PASSWORD });
    return { run, expectEntered: expectNothingForeign };
  },
};

const CHANGES: Partial<Record<string, Change>> = {
  ...FACTOR_CHANGES,
  ...ACCOUNT_CHANGES,
  ...SESSION_CHANGES,
  ...EMAIL_CHANGES,
  ...RECOVERY_CHANGES,
  ...FIRST_PROOFS,
};

/** Prepares a change of the owner's account, or of a stranger's account at her address. */
async function prepare(app: App, name: string, start: Start): Promise<Prepared> {
  const change = CHANGES[name];
  if (change === undefined) throw new Error(`There is no change: ${name}`);
  const user = await createTestUser({ emailVerified: start !== 'foreign' });
  if (start === 'proved')
    await getIdentityAdmin().setCustomUserClaims(user.uid, { [PROVED_ADDRESS_CLAIM]: user.email });
  return { ...user, ...(await change(app, user)) };
}

type Cell = [start: Start, foreign: keyof typeof FOREIGN_CHANGES];

/**
 * Tests each change with each foreign change at any moment. Separate files run in parallel, because most of the time is
 * spent waiting for the next second.
 */
export function testInterleaved(changes: Record<string, Change>, cells: Cell[]): void {
  const interleave = interleaveProvider();
  const app = serveInterleaved();
  vi.setConfig(UNHURRIED);
  describe.each(Object.keys(changes))('%s', (change) => {
    test.each(cells)('%s account, foreign %s', async (start, foreign) => {
      const moments = await interleave(app, () => prepare(app, change, start), FOREIGN_CHANGES[foreign]);
      // A change that reads the account and then writes it makes more calls. The import looks up two names and imports.
      expect(moments).toBeGreaterThan(1);
    });
  });
}

/**
 * Tests each change with another change of ours, which begins at any moment of the first. Each is carried out or refused,
 * and leaves one account of one owner.
 */
export function testBeside(changes: Record<string, Change>, others: string[]): void {
  const interleave = interleaveProvider();
  const app = serveInterleaved();
  vi.setConfig(UNHURRIED);
  /** By the email of the account at first. */
  const begins = new Map<string, () => Promise<unknown>>();
  const begun = new Map<string, Promise<unknown>>();
  const begin: ForeignChange = async ({ email }) => {
    begun.set(email, begins.get(email)?.() ?? Promise.resolve());
    // The first change may hold the account's lock, so it must not wait for the other one.
    await new Promise((resolve) => setTimeout(resolve, HEAD_START_MS));
    return {};
  };
  const prepareBoth = async (name: string, beside: string): Promise<Prepared> => {
    const user = await createTestUser();
    await getIdentityAdmin().setCustomUserClaims(user.uid, { [PROVED_ADDRESS_CLAIM]: user.email });
    const change = (which: string) => CHANGES[which] ?? expect.unreachable(which);
    // Its preparation changes the email, which ends the sessions of others.
    const undone = beside === 'a change of the email undone' ? await change(beside)(app, user) : null;
    const present = { ...user, email: undone?.email ?? user.email };
    const own = await change(name)(app, present);
    const other = undone ?? (await change(beside)(app, present));
    const { uid, email } = present;
    begins.set(email, other.run);
    const { showFactor } = other;
    const prepared: Prepared = {
      ...present,
      ...(showFactor && { showFactor }),
      run: async () => {
        await own.run();
        await begun.get(email);
      },
      expectAfter: async (foreign) => {
        await begun.get(email);
        await drainBehindResponses();
        await other.expectAfter?.(foreign);
        const account = await getIdentityAdmin().getUser(uid);
        const records = await getRecords();
        const recovery = await records.query((tx) => readRecoveryEmail(tx, uid));
        expect([email, user.email, own.other, other.other]).toContain(account.email);
        expect(recovery?.email).not.toBe(account.email);
        const { passkeys } = await listPasskeys(records, uid);
        for (const passkey of passkeys) expect(passkey.email).toBe(account.email);
        if (undone !== null) expect(recovery).toBeNull();
        prepared.other = account.email ?? '';
        // Sign-ins of this second were revoked.
        await nextSecond();
      },
    };
    return prepared;
  };
  describe.each(Object.keys(changes))('%s', (change) => {
    test.each(others)('beside %s', async (other) => {
      expect(await interleave(app, () => prepareBoth(change, other), begin)).toBeGreaterThan(0);
    });
  });
}

const HEAD_START_MS = 30;

export const CELLS_OF_OWNER: Cell[] = [
  ['proved', 'email'],
  ['verified', 'email'],
  ['proved', 'password'],
  ['proved', 'link'],
];
