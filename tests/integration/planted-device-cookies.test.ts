// ASVS: 3.3.1, 6.3.3
// Threats: cookie-planting, remembered-browser-stolen
import { eq } from 'drizzle-orm';
import { beforeEach, describe, expect, test } from 'vitest';
import { env } from '@/lib/server/runtime/config/env';
import { getRecords } from '@/lib/server/storage/records';
import { devices } from '@/lib/server/storage/records/schema';
import { digestDevice, digestPlainDevice } from '@/lib/server/session/request';
import { nextSecond, type Answer, type CookieJar } from '../support/client';
import { configureOrigin, serveRemembered } from '../support/remembered-browser';
import type { Enrolled } from '../support/second-factor-app';
import { lockSessions } from '../support/session-app';
import { createTestUser, fetchIdToken } from '../support/test-users';

// Browsers of the time before the prefix `__Host-`: their rows have the digest of that time, their cookie the plain name.

const PREFIXED = '__Host-device';

const app = serveRemembered();
const { call, open, expectCode, show, signInAgain } = app;
const ok = { status: 200 };

let enrolled: Enrolled;
beforeEach(async () => {
  await configureOrigin({ rememberBrowsers: true });
  // On https. The emulator is accepted on localhost alone, where names have no prefix.
  Object.assign(env(), {
    NEXT_PUBLIC_MAIN_DOMAIN: 'campus.example',
    NEXT_PUBLIC_APP_ORIGIN: 'https://id.campus.example',
  });
  enrolled = await app.enrol();
});

/** Makes a browser what it was before the prefix. @returns the plain secret */
async function makePlain(browser: CookieJar): Promise<string> {
  const { [PREFIXED]: secret = '' } = browser.cookies;
  const own = { secret, plainSecret: secret };
  const matches = eq(devices.cookieDigest, digestDevice(own, app.user.uid) ?? '');
  const records = await getRecords();
  const changed = await records.transact((tx) =>
    tx
      .update(devices)
      .set({ cookieDigest: digestPlainDevice(own, app.user.uid) })
      .where(matches)
      .returning(),
  );
  expect(changed).toHaveLength(1);
  delete browser.cookies[PREFIXED];
  browser.cookies.device = secret;
  return secret;
}

/** Another browser, which has this cookie alone. */
function plant(secret: string, name = 'device'): CookieJar {
  const browser = app.newBrowser('phone');
  browser.cookies[name] = secret;
  return browser;
}

const readDevices = async () => {
  const records = await getRecords();
  return records.transact((tx) => tx.select().from(devices).where(eq(devices.uid, app.user.uid)));
};
const expectAsked = async (browser: CookieJar) => expectCode(await signInAgain(browser), 403, 'second-factor-required');

describe('a browser that was remembered before the prefix', () => {
  let phone: CookieJar;
  let secret: string;
  beforeEach(async () => {
    phone = await app.remember(enrolled);
    secret = await makePlain(phone);
  });

  test('is not asked, and gets another secret with the prefix: the plain one is deleted and dead', async () => {
    const before = await readDevices();
    const answer: Answer = await signInAgain(phone);
    expect(answer).toMatchObject(ok);
    expect(answer.cookies[PREFIXED]).toMatchObject({ httpOnly: true, secure: true, path: '/' });
    expect(phone.cookies.device).toBeUndefined();
    expect(phone.cookies[PREFIXED]).toMatch(/^[\w-]{43}$/);
    expect(phone.cookies[PREFIXED]).not.toBe(secret);
    expect((await readDevices()).map(({ id }) => id).sort()).toEqual(before.map(({ id }) => id).sort());
    // Also once the session is over.
    await call(phone, 'initiate-logout');
    await nextSecond();
    for (const name of ['device', PREFIXED]) await expectAsked(plant(secret, name));
    expect(await signInAgain(phone)).toMatchObject(ok);
  });

  test('is the one that comes first: the other one is a new browser, and is asked', async () => {
    const thief = plant(secret);
    expect(await signInAgain(thief)).toMatchObject(ok);
    await nextSecond();
    await expectAsked(phone);
    expect(await show(phone, { code: enrolled.codeAt(30) })).toMatchObject(ok);
    expect(await readDevices()).toHaveLength(3);
    expect(await app.list()).toHaveLength(3);
  });

  test('and is signed in: a copy of its plain secret is asked, and joins no session', async () => {
    expect(await signInAgain(phone)).toMatchObject(ok);
    const copied = await makePlain(phone);
    await nextSecond();
    const thief = plant(copied);
    await expectAsked(thief);
    expect(await show(thief, { code: enrolled.codeAt(30) })).toMatchObject(ok);
    expect(await app.getId(thief)).not.toBe(await app.getId(phone));
    expect((await app.renew(phone)).status).toBe(200);
  });

  test('two at once: one goes on as the device, the other one signs in again', async () => {
    const [token, other] = [await fetchIdToken(app.user), plant(secret)];
    const answers = await Promise.all([open(phone, token), open(other, token)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 403]);
    expect(await readDevices()).toHaveLength(2);
  });

  test('is asked when the choice was revoked', async () => {
    expect(await call(enrolled.laptop, 'account/sign-out-everywhere', {})).toMatchObject(ok);
    await nextSecond();
    await expectAsked(phone);
  });

  test('is asked on a shared computer, whose cookies stay', async () => {
    phone.cookies['shared-computer'] = '1';
    await expectAsked(phone);
    expect(phone.cookies.device).toBe(secret);
  });
});

describe('a browser that was known before the prefix', () => {
  test('renews its session, which rotates the secret', async () => {
    const { laptop } = enrolled;
    const secret = await makePlain(laptop);
    const copy = laptop.copy();
    await nextSecond();
    expect((await app.renew(laptop)).status).toBe(200);
    expect(laptop.cookies.device).toBeUndefined();
    expect(laptop.cookies[PREFIXED]).not.toBe(secret);
    await nextSecond();
    expect((await app.renew(laptop)).status).toBe(200);
    // Copies of both cookies from before are those of another browser now.
    expectCode(await app.renew(copy), 403, 'recent-login-required');
  });

  test('gives its trust to the new secret, not to the plain one', async () => {
    const { laptop } = enrolled;
    const secret = await makePlain(laptop);
    await call(laptop, 'initiate-logout');
    await nextSecond();
    await expectAsked(laptop);
    expect(await show(laptop, { code: enrolled.codeAt(), remember: true })).toMatchObject(ok);
    await call(laptop, 'initiate-logout');
    await nextSecond();
    for (const name of ['device', PREFIXED]) await expectAsked(plant(secret, name));
    expect(await signInAgain(laptop)).toMatchObject(ok);
  });
});

describe('a plain cookie that another host planted', () => {
  test('with a secret of its own: trust goes to a secret that it does not know', async () => {
    const secret = 'p'.repeat(43);
    const victim = plant(secret);
    await expectAsked(victim);
    expect(await show(victim, { code: enrolled.codeAt(), remember: true })).toMatchObject(ok);
    expect(victim.cookies[PREFIXED]).not.toBe(secret);
    expect(victim.cookies.device).toBeUndefined();
    await nextSecond();
    for (const name of ['device', PREFIXED]) await expectAsked(plant(secret, name));
  });

  test('does not keep a sign-in on a slow database out of the records', async () => {
    const intruder = plant('p'.repeat(43));
    const victim = await createTestUser();
    const token = await fetchIdToken(victim);
    const release = await lockSessions();
    expect(await open(intruder, token)).toMatchObject(ok);
    release();
    await expect.poll(async () => (await app.list(victim.uid)).length).toBe(1);
    // It has the secret of its record.
    await nextSecond();
    expect(await app.renew(intruder)).toMatchObject(ok);
    expect(intruder.cookies.device).toBeUndefined();
    expect(await app.list(victim.uid)).toHaveLength(1);
  });

  test('with the value of a cookie that has the prefix: it is not known', async () => {
    const phone = await app.remember(enrolled);
    const victim = plant(phone.cookies[PREFIXED] ?? '');
    await expectAsked(victim);
    expect(await show(victim, { code: enrolled.codeAt(30) })).toMatchObject(ok);
    expect(await signInAgain(phone)).toMatchObject(ok);
    expect(await app.getId(victim)).not.toBe(await app.getId(phone));
  });

  test('beside the cookie with the prefix: it does nothing, and is deleted', async () => {
    const phone = await app.remember(enrolled);
    const own = phone.cookies[PREFIXED];
    phone.cookies.device = 'p'.repeat(43);
    expect(await signInAgain(phone)).toMatchObject(ok);
    expect(phone.cookies[PREFIXED]).toBe(own);
    expect(phone.cookies.device).toBeUndefined();
  });
});
