// Threats: stolen-session, stale-lookup, forced-deletion, planted-passkey
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, inject, test, vi } from 'vitest';
import { sealDisavowalLink } from '@/lib/server/codes/links';
import { readDeletion } from '@/lib/server/accounts';
import { changeAccountWithSessions } from '@/lib/server/identity';
import { withAccountLock } from '@/lib/server/storage';
import { getIdentityAdmin } from '@/lib/server/identity/admin';
import { HANDOFF_CLAIM } from '@/lib/server/session/tokens';
import { getRecords } from '@/lib/server/storage/records';
import { idpResponse, tokenBy } from '../support/accounts-client';
import { countChanges } from '../support/account-lock';
import { nextSecond, type CookieJar } from '../support/client';
import { servePasskeys } from '../support/passkey-app';
import { SESSION } from '../support/session-app';
import { SoftwareAuthenticator } from '../support/software-authenticator';
import { fetchIdToken } from '../support/test-users';

const app = servePasskeys();
afterEach(() => {
  vi.restoreAllMocks();
});

const emulator = { emulatorHost: inject('emulatorHost') };

/** Changes by a session whose user has just authenticated, which may be an intruder's. */
const CHANGES: Record<string, (browser: CookieJar) => () => ReturnType<typeof app.call>> = {
  'a method is removed': (browser) => async () =>
    app.call(browser, 'account/unlink-method', { token: await fetchIdToken(app.user), method: 'google.com' }),
  'the deletion is requested': (browser) => async () =>
    app.call(browser, 'account/delete', { token: await fetchIdToken(app.user) }),
  'all others are signed out': (browser) => async () =>
    app.call(browser, 'account/end-sessions', { others: true, token: await fetchIdToken(app.user) }),
};
const kinds = Object.keys(CHANGES);

/** @returns the browser with its session, and the change that it makes */
async function prepare(kind: string) {
  const { user } = app;
  const google = idpResponse('google.com', { sub: user.uid, email: user.email, email_verified: true });
  await tokenBy(emulator, 'signInWithIdp', { idToken: await fetchIdToken(user), ...google });
  const browser = app.newBrowser();
  await app.signIn(browser);
  await nextSecond();
  const change = CHANGES[kind]?.(browser);
  if (!change) throw new Error(kind);
  return { browser, change };
}

test.each(kinds)('%s while the owner ends all sessions: its own is over, and stays so', async (kind) => {
  const { browser, change } = await prepare(kind);
  const { uid } = app.user;
  let pending: ReturnType<typeof app.call> | undefined;
  await withAccountLock(uid, async (locked) => {
    pending = change();
    // It has checked its session and the proof, and waits for the account.
    await expect.poll(() => countChanges(uid)).toBe(2);
    await changeAccountWithSessions(locked, { revoke: 'new-password' });
  });
  const answer = await pending;
  expect(answer?.status).toBe(401);
  // The records of a revocation follow it, while the change waits for its turn or later.
  expect(['session-required', 'token-revoked']).toContain(answer?.body?.code);
  expect(answer?.cookies).not.toHaveProperty(SESSION);
  expect(await app.check(browser)).toBe(401);
  expect(await readDeletion(await getRecords(), uid)).toBeNull();
});

test.each(kinds)('the owner ends all sessions while %s and a new session is made: it is over, too', async (kind) => {
  const { browser, change } = await prepare(kind);
  const { uid } = app.user;
  const admin = getIdentityAdmin();
  const createCustomToken = admin.createCustomToken.bind(admin);
  const [arrive, arrived] = createSignal();
  const [goOn, mayGoOn] = createSignal();
  vi.spyOn(admin, 'createCustomToken').mockImplementationOnce(async (id, claims) => {
    arrive();
    await mayGoOn;
    // As if the change had been slow until now: a mail server may be.
    const { [HANDOFF_CLAIM]: given } = { ...claims } as Record<string, object>;
    const own = { ...given, renewed_at: Math.floor(Date.now() / 1000) };
    return createCustomToken(id, { [HANDOFF_CLAIM]: own });
  });
  const pending = change();
  await arrived;
  const revocation = changeAccountWithSessions(uid, { revoke: 'new-password' });
  // Where it need not wait for the change, it is done by then.
  await Promise.race([revocation, sleep(2500)]);
  goOn();
  expect((await pending).status).toBe(200);
  await revocation;
  expect(await app.check(browser)).toBe(401);
});

function createSignal(): [() => void, Promise<void>] {
  let give = () => undefined as void;
  const given = new Promise<void>((resolve) => (give = resolve));
  return [give, given];
}

test('a change while a check reads what the records have of its session is seen by the next check', async () => {
  const { uid } = app.user;
  const browser = app.newBrowser();
  await app.signIn(browser);
  const records = await getRecords();
  const query = records.query.bind(records);
  let change: Promise<void> | undefined;
  vi.spyOn(records, 'query').mockImplementationOnce(async (...given) => {
    const found = await query(...given);
    // The identity provider has answered by then.
    await sleep(200);
    await (change = changeAccountWithSessions(uid, { displayName: 'Mara' }));
    return found;
  });
  expect(await app.check(browser)).toBe(200);
  expect(change).toBeDefined();
  await change;
  expect((await app.call(browser, 'check-auth-status')).body).toMatchObject({ displayName: 'Mara' });
});

test('a planted passkey that signs in while a disavowal removes it opens no session', async () => {
  const { uid, email } = app.user;
  await app.signIn(app.newBrowser());
  await nextSecond();
  const [phone, intruder] = [app.newBrowser('phone'), app.newBrowser('phone')];
  await app.signIn(phone);
  const authenticator = new SoftwareAuthenticator();
  expect((await app.add(phone, authenticator)).status).toBe(200);
  const at = new Date().toISOString();
  const code = await sealDisavowalLink({ uid, session: await app.getId(phone), at, to: email });
  const admin = getIdentityAdmin();
  const [getUser, createSessionCookie] = [admin.getUser.bind(admin), admin.createSessionCookie.bind(admin)];
  const [arrive, arrived] = createSignal();
  const [goOn, mayGoOn] = createSignal();
  let signIn: ReturnType<typeof app.use> | undefined;
  let wasFrozen = false;
  // Once sign-ins are valid again.
  vi.spyOn(admin, 'getUser').mockImplementation(async (id) => {
    const user = await getUser(id);
    const isFrozen = Date.parse(user.tokensValidAfterTime ?? '') > Date.now() + 2000;
    if (wasFrozen && !isFrozen && signIn === undefined) {
      signIn = app.use(intruder, authenticator);
      await Promise.race([arrived, signIn]);
    }
    wasFrozen ||= isFrozen;
    return user;
  });
  vi.spyOn(admin, 'createSessionCookie').mockImplementationOnce(async (...given) => {
    arrive();
    await mayGoOn;
    return createSessionCookie(...given);
  });
  expect((await app.call(app.newBrowser(), 'actions/disavow-sign-in', { code })).status).toBe(200);
  goOn();
  const answer = await signIn;
  expect([await app.check(intruder), answer?.body?.code, await app.stored()]).toEqual([401, 'passkey-unknown', []]);
});
