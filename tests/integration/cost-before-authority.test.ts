// Threats: flooding
import { readFileSync } from 'node:fs';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import type * as Crypto from 'node:crypto';
import type * as WebAuthn from '@simplewebauthn/server';
import type * as Email from '@/lib/server/email';
import { drainBehindResponses } from '@/lib/server/http/behind-response';
import type * as MeasureCall from '@/lib/server/identity-provider/measure-call';
import type * as RateLimits from '@/lib/server/rate-limits';
import { LIMITS } from '@/lib/server/rate-limits/table';
import { SoftwareApp } from '../support/totp';
import { eq } from 'drizzle-orm';
import { getRecords } from '@/lib/server/records';
import { pendingSignIns } from '@/lib/server/records/second-factor-schema';
import { fetchIdToken } from '../support/test-users';
import { serveSecondFactor } from '../support/second-factor-app';
import type { CookieJar } from '../support/client';

/** What happens in this process, in order: limits by their names, and expensive steps. The real functions run. */
const journal = vi.hoisted(() => [] as string[]);
const scrypt = vi.hoisted(() => vi.fn());
vi.mock('node:crypto', async (importOriginal) => {
  const original = await importOriginal<typeof Crypto>();
  scrypt.mockImplementation((...given: Parameters<typeof original.scrypt>) => {
    journal.push('scrypt');
    original.scrypt(...given);
  });
  return { ...original, scrypt };
});
vi.mock('@simplewebauthn/server', async (importOriginal) => {
  const original = await importOriginal<typeof WebAuthn>();
  const verifyAuthenticationResponse: typeof original.verifyAuthenticationResponse = (options) => {
    journal.push('verify');
    return original.verifyAuthenticationResponse(options);
  };
  return { ...original, verifyAuthenticationResponse };
});
vi.mock('@/lib/server/rate-limits', async (importOriginal) => {
  const original = await importOriginal<typeof RateLimits>();
  const consumeLimit: typeof original.consumeLimit = async (limit, key) => {
    await original.consumeLimit(limit, key);
    journal.push(limit);
  };
  return { ...original, consumeLimit };
});
vi.mock('@/lib/server/identity-provider/measure-call', async (importOriginal) => {
  const original = await importOriginal<typeof MeasureCall>();
  const measureProviderCall: typeof original.measureProviderCall = (operation, request) => {
    journal.push(operation);
    return original.measureProviderCall(operation, request);
  };
  return { ...original, measureProviderCall };
});
vi.mock('@/lib/server/email', async (importOriginal) => {
  const original = await importOriginal<typeof Email>();
  const sendEmail: typeof original.sendEmail = (...given) => {
    journal.push('email');
    return original.sendEmail(...given);
  };
  return { ...original, sendEmail };
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

describe('docs/security.md says what is counted before an expensive step', () => {
  /** What the document has for each step: limits in the order in which they are counted. */
  const [, section = ''] = readFileSync('docs/security.md', 'utf8').split(/^## Expensive steps$/m);
  const [table = ''] = section.split(/^## /m);
  const rows = new Map(
    table
      .split('\n')
      .filter((line) => /^\| (?!step|---)/.test(line))
      .map((line) =>
        line
          .slice(1, -1)
          .split('|')
          .map((cell) => cell.trim()),
      )
      .map(([step = '', , , counted = '']) => [
        step,
        [...counted.matchAll(/`([a-z-]+)`/g)].map(([, name = '']) => name),
      ]),
  );

  /** By step: how it is written in the journal, and what prepares the call that takes it. */
  const steps: Record<string, { written: string; prepare: () => Promise<() => Promise<unknown>> }> = {
    'Make recovery codes': {
      written: 'scrypt',
      prepare: async () => {
        const laptop = newBrowser();
        await signIn(laptop);
        const code = await beginApp(laptop);
        return () => post(laptop, 'confirm-app', { code });
      },
    },
    'Compare a recovery code': {
      written: 'scrypt',
      prepare: async () => {
        const { codes } = await app.enrol();
        const phone = newBrowser('phone');
        await begun(phone);
        return () => show(phone, { recoveryCode: codes[1] });
      },
    },
    'Verify a passkey': {
      written: 'verify',
      prepare: async () => {
        const { authenticator } = await app.enroll();
        const phone = newBrowser('phone');
        const { body } = await call(phone, 'passkeys/sign-in-options');
        const { options, challenge } = body as { options: Parameters<typeof authenticator.get>[0]; challenge: string };
        const response = authenticator.get(options);
        return () => call(phone, 'passkeys/sign-in', { challenge, response });
      },
    },
    'Verify an ID token': {
      written: 'verifyIdToken',
      prepare: async () => {
        const token = await fetchIdToken(app.user);
        return () => app.open(newBrowser(), token);
      },
    },
    'Read an account by its address': {
      written: 'getUserByEmail',
      prepare: () => Promise.resolve(() => call(newBrowser(), 'sign-in-help', { email: app.user.email })),
    },
    'Send an email that was asked for': {
      written: 'email',
      prepare: () => Promise.resolve(() => call(newBrowser(), 'password-reset', { email: app.user.email })),
    },
    'Send another code': {
      written: 'email',
      prepare: async () => {
        const browser = newBrowser();
        const { body } = await call(browser, 'password-reset', { email: app.user.email });
        await drainBehindResponses();
        app.advance(31);
        return () => call(browser, 'password-reset/resend', { flow: body?.flow });
      },
    },
    'Change a name': {
      written: 'accounts:update',
      prepare: async () => {
        const laptop = newBrowser();
        await signIn(laptop);
        return () => call(laptop, 'account/name', { name: 'Mia Moreau' });
      },
    },
  };

  test('for each step that can be counted here', () => {
    expect([...rows].filter(([, counted]) => counted.length === 0)).toEqual([]);
    expect([...rows.keys()]).toEqual(expect.arrayContaining(Object.keys(steps)));
  });

  test.each(Object.entries(steps))('%s', async (name, { written, prepare }) => {
    const take = await prepare();
    journal.length = 0;
    await take();
    await drainBehindResponses();
    expect(journal).toEqual(expect.arrayContaining([written]));
    const before = journal.slice(0, journal.indexOf(written));
    expect(before.filter((entry) => entry in LIMITS)).toEqual(rows.get(name));
  });
});
