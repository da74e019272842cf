// Threats: email-budget
import { parseSetCookie } from 'cookie';
import { beforeEach, expect, test, vi } from 'vitest';
import { LIFETIME } from '@/lib/shared/browser-cookies';
import { issueCode } from '@/lib/server/codes/one-time-codes';
import { getKnownBrowser, recordKnownBrowser } from './known-browser';

process.env.FIREBASE_AUTH_EMULATOR_HOST = 'localhost:9099';
const NAME = 'known-browser';
const mia = 'mia@campus.test';
beforeEach(() => vi.useRealTimers());

/** Returns the browser's cookies after these sign-ins, in this order. */
async function signIn(emails: string[], cookies: Record<string, string> = {}): Promise<{ cookies: typeof cookies }> {
  for (const email of emails) {
    const [header = ''] = await recordKnownBrowser({ cookies }, email);
    cookies = { ...cookies, [NAME]: parseSetCookie(header)?.value ?? '' };
  }
  return { cookies };
}

test('a browser is known for the emails that signed in with it, and for no other', async () => {
  const req = await signIn([mia, 'lena@campus.test']);
  const id = await getKnownBrowser(req, 'Mia@Campus.test');
  expect(id).toMatch(/^[\da-f-]{36}$/);
  expect(await getKnownBrowser(req, 'lena@campus.test')).toBe(id);
  expect(await getKnownBrowser(req, 'sam@campus.test')).toBeNull();
  expect(await getKnownBrowser({ cookies: {} }, mia)).toBeNull();
});

test('the five latest emails are kept', async () => {
  const others = ['a@x.test', 'b@x.test', 'c@x.test', 'd@x.test'];
  const five = await signIn([mia, ...others]);
  expect(await getKnownBrowser(five, mia)).not.toBeNull();
  const again = await signIn([mia, 'e@x.test'], five.cookies);
  expect(await getKnownBrowser(again, mia)).not.toBeNull();
  expect(await getKnownBrowser(again, 'a@x.test')).toBeNull();
});

test('cookies of two browsers for one email share nothing and do not contain the email', async () => {
  const [first, second] = [await signIn([mia]), await signIn([mia])];
  expect(await getKnownBrowser(first, mia)).not.toBe(await getKnownBrowser(second, mia));
  expect(Buffer.from(first.cookies[NAME] ?? '', 'base64url').toString('latin1')).not.toContain('mia');
});

test('a shared computer is not remembered', async () => {
  expect(await recordKnownBrowser({ cookies: { 'shared-computer': '1' } }, mia)).toEqual([]);
});

test.each(['', 'x', 'a.b.c.d.e', 'eyJhbGciOiJub25lIn0.e30.'])('an invalid cookie is ignored: %s', async (cookie) => {
  expect(await getKnownBrowser({ cookies: { [NAME]: cookie } }, mia)).toBeNull();
  const req = await signIn([mia], { [NAME]: cookie });
  expect(await getKnownBrowser(req, mia)).not.toBeNull();
});

test('a modified cookie and a token for another purpose are ignored', async () => {
  const { cookies } = await signIn([mia]);
  const [head = '', key = '', iv = '', text = '', tag = ''] = (cookies[NAME] ?? '').split('.');
  const changed = [head, key, iv, (text.startsWith('A') ? 'B' : 'A') + text.slice(1), tag].join('.');
  const { token } = await issueCode('reset-password', { email: mia });
  for (const cookie of [changed, token]) expect(await getKnownBrowser({ cookies: { [NAME]: cookie } }, mia)).toBeNull();
});

test('the cookie expires after 400 days, and a sign-in extends it', async () => {
  const first = await signIn([mia]);
  const start = Date.now();
  vi.useFakeTimers({ toFake: ['Date'], now: start + (LIFETIME.browser - 60) * 1000 });
  const renewed = await signIn([mia], first.cookies);
  vi.setSystemTime(start + LIFETIME.browser * 1000);
  expect(await getKnownBrowser(first, mia)).toBeNull();
  expect(await getKnownBrowser(renewed, mia)).not.toBeNull();
});
