// Threats: flooding
import { beforeEach, expect, test, vi } from 'vitest';
import type * as Crypto from 'node:crypto';
import { SoftwareApp } from '../support/totp';
import { eq } from 'drizzle-orm';
import { getRecords } from '@/lib/server/records';
import { pendingSignIns } from '@/lib/server/records/second-factor-schema';
import { fetchIdToken } from '../support/test-users';
import { serveSecondFactor } from '../support/second-factor-app';
import type { CookieJar } from '../support/client';

// Expensive steps are counted where they happen: the real function runs.
const scrypt = vi.hoisted(() => vi.fn());
vi.mock('node:crypto', async (importOriginal) => {
  const original = await importOriginal<typeof Crypto>();
  scrypt.mockImplementation(original.scrypt);
  return { ...original, scrypt };
});

const app = serveSecondFactor();
const { call, newBrowser, signIn, post, expectCode, begun, show } = app;

beforeEach(() => {
  scrypt.mockClear();
});

/** @returns the code of 30 seconds before, which is accepted */
async function getCode(secret: string): Promise<string> {
  await expect.poll(() => (Date.now() / 1000) % 30, { timeout: 10_000 }).toBeLessThan(25);
  return new SoftwareApp(secret).codeAt(Math.floor(Date.now() / 1000 / 30) - 1);
}

const beginApp = async (browser: CookieJar) => getCode((await post(browser, 'add-app')).secret);

test('a code of an app that was used derives no recovery codes', async () => {
  const [laptop, phone] = [newBrowser(), newBrowser('phone')];
  await signIn(laptop);
  await signIn(phone);
  const code = await beginApp(laptop);
  await post(laptop, 'confirm-app', { code });
  expect(scrypt).toHaveBeenCalledTimes(10);
  const replayed = await Promise.all(
    [laptop, phone, laptop, phone].map((browser) => call(browser, 'second-factor/confirm-app', { code })),
  );
  for (const answer of replayed) expectCode(answer, 410, 'code-used');
  expect(scrypt).toHaveBeenCalledTimes(10);
});

test('of parallel calls with one code, one derives', async () => {
  const laptop = newBrowser();
  await signIn(laptop);
  const code = await beginApp(laptop);
  const answers = await Promise.all([1, 2, 3, 4].map(() => call(laptop, 'second-factor/confirm-app', { code })));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 410, 410, 410]);
  expect(scrypt).toHaveBeenCalledTimes(10);
});

test('sets of recovery codes are counted by account, before the code is used up', async () => {
  const laptop = newBrowser();
  await signIn(laptop);
  for (let sets = 0; sets < 10; sets += 1) await post(laptop, 'confirm-app', { code: await beginApp(laptop) });
  expect(scrypt).toHaveBeenCalledTimes(100);
  const code = await beginApp(laptop);
  const refused = await call(laptop, 'second-factor/confirm-app', { code });
  expectCode(refused, 429, 'too-many-requests');
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(scrypt).toHaveBeenCalledTimes(100);
  const { newApp } = await app.read();
  expect(newApp?.lastStep).toBeNull();
});

test('recovery codes of one account are compared a bounded number of times, however many sign-ins wait', async () => {
  await app.enrol();
  scrypt.mockClear();
  const typed = '0000-0000-0000-0000';
  const statuses: number[] = [];
  for (let signIns = 0; signIns < 5; signIns += 1) {
    const browser = newBrowser('phone');
    await begun(browser);
    for (let tries = 0; tries < 6; tries += 1) statuses.push((await show(browser, { recoveryCode: typed })).status);
  }
  // One of the twenty was typed to turn it on.
  expect(scrypt).toHaveBeenCalledTimes(19);
  expect(statuses.slice(0, 6)).toEqual([400, 400, 400, 400, 410, 410]);
  expect(statuses.at(-1)).toBe(429);
});

test('one ID token leaves a bounded number of sign-ins that wait, and is counted', async () => {
  await app.enrol();
  const token = await fetchIdToken(app.user);
  const own = newBrowser('phone');
  await begun(own, token);
  const answers = [];
  for (let calls = 0; calls < 40; calls += 1) answers.push(await app.open(newBrowser(), token));
  // One of the thirty is the phone's.
  expect(answers.filter(({ status }) => status === 403)).toHaveLength(29);
  expect(answers.at(-1)?.body).toMatchObject({ code: 'too-many-requests' });
  const records = await getRecords();
  const left = await records.transact((tx) =>
    tx.select().from(pendingSignIns).where(eq(pendingSignIns.uid, app.user.uid)).limit(100),
  );
  expect(left).toHaveLength(11);
  // Those of another browser have not ended it; its owner is told with the time of the first.
  expect((await show(own, { recoveryCode: '0000-0000-0000-0000' })).body).toMatchObject({ code: 'code-wrong' });
  const ofLaptop = left.filter(({ system }) => system !== 'Android');
  expect(Math.min(...ofLaptop.map(({ since }) => Number(since)))).toBeLessThan(
    Math.min(...ofLaptop.map(({ createdAt }) => Number(createdAt))),
  );
});
