// ASVS: 3.3.1, 6.3.3
// Threats: cookie-planting, remembered-browser-stolen
import { eq } from 'drizzle-orm';
import { beforeEach, expect, test } from 'vitest';
import { env } from '@/lib/server/runtime/config/env';
import { getRecords } from '@/lib/server/storage/records';
import { devices } from '@/lib/server/storage/records/schema';
import { nextSecond, type CookieJar } from '../support/client';
import { configureOrigin, serveRemembered } from '../support/remembered-browser';
import type { Enrolled } from '../support/second-factor-app';

// Any host of the main domain can set a plain `device` cookie, so nothing depends on it.

const PREFIXED = '__Host-device';

const app = serveRemembered();
const { expectCode, show, signInAgain } = app;
const ok = { status: 200 };

let enrolled: Enrolled;
beforeEach(async () => {
  await configureOrigin({ rememberBrowsers: true });
  // Sets an https origin. The emulator is accepted only on localhost, where names have no prefix.
  Object.assign(env(), {
    NEXT_PUBLIC_MAIN_DOMAIN: 'campus.example',
    NEXT_PUBLIC_APP_ORIGIN: 'https://id.campus.example',
  });
  enrolled = await app.enrol();
});

/** Creates another browser that has only this cookie. */
function plant(secret: string, name = 'device'): CookieJar {
  const browser = app.newBrowser('phone');
  browser.cookies[name] = secret;
  return browser;
}

const expectAsked = async (browser: CookieJar) => expectCode(await signInAgain(browser), 403, 'second-factor-required');
const countDevices = async () => {
  const records = await getRecords();
  return (await records.query((tx) => tx.select().from(devices).where(eq(devices.uid, app.user.uid)))).length;
};

test('with a secret of its own: trust goes to a secret that its host does not know', async () => {
  const secret = 'p'.repeat(43);
  const victim = plant(secret);
  await expectAsked(victim);
  expect(await show(victim, { code: enrolled.codeAt(), remember: true })).toMatchObject(ok);
  expect(victim.cookies[PREFIXED]).toMatch(/^[\w-]{43}$/);
  expect(victim.cookies[PREFIXED]).not.toBe(secret);
  await nextSecond();
  for (const name of ['device', PREFIXED]) await expectAsked(plant(secret, name));
});

test('with the secret of a remembered browser: it is asked, and is another device', async () => {
  const phone = await app.remember(enrolled);
  const known = await countDevices();
  const victim = plant(phone.cookies[PREFIXED] ?? '');
  await expectAsked(victim);
  expect(await show(victim, { code: enrolled.codeAt(30) })).toMatchObject(ok);
  expect(await countDevices()).toBe(known + 1);
  expect(await signInAgain(phone)).toMatchObject(ok);
  expect(await app.getId(victim)).not.toBe(await app.getId(phone));
});

test('beside the cookie with the prefix: it does nothing', async () => {
  const phone = await app.remember(enrolled);
  const own = phone.cookies[PREFIXED];
  phone.cookies.device = 'p'.repeat(43);
  expect(await signInAgain(phone)).toMatchObject(ok);
  expect(phone.cookies[PREFIXED]).toBe(own);
});

test('a browser that has lost the prefix renews nothing: the session is of the one that opened it', async () => {
  const { laptop } = enrolled;
  const secret = laptop.cookies[PREFIXED] ?? '';
  delete laptop.cookies[PREFIXED];
  laptop.cookies.device = secret;
  await nextSecond();
  expectCode(await app.renew(laptop), 403, 'recent-login-required');
});
