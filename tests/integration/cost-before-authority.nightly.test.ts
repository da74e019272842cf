// Threats: flooding
import { readFileSync } from 'node:fs';
import { beforeEach, describe, expect, inject, test, vi } from 'vitest';
import { randomUUID } from 'node:crypto';
import type * as Crypto from 'node:crypto';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type * as WebAuthn from '@simplewebauthn/server';
import { parseSetCookie } from 'cookie';
import type * as Tables from '@/lib/server/accounts/data-tables';
import type * as BreachedPasswords from '@/lib/server/accounts/breached-passwords';
import type * as Email from '@/lib/server/notifications/email';
import { drainBehindResponses } from '@/lib/server/http/behind-response';
import { getIdentityAdmin } from '@/lib/server/identity/admin';
import type * as MeasureCall from '@/lib/server/identity/measure-call';
import type * as Outbox from '@/lib/server/notifications/outbox/outbox';
import { sealConfirmationLink, sealDisavowalLink } from '@/lib/server/codes/links';
import { loadActionStep } from '@/lib/server/web/action-step';
import type * as RateLimits from '@/lib/server/storage/rate-limits';
import { LIMITS } from '@/lib/server/storage/rate-limits/table';
import { awaitRoomInStep, SoftwareApp } from '../support/totp';
import { eq } from 'drizzle-orm';
import { getRecords } from '@/lib/server/storage/records';
import { pendingSignIns } from '@/lib/server/storage/records/schema';
import { nextSecond, type CookieJar } from '../support/client';
import { codeIn, mailsTo, wrongCode } from '../support/mail';
import { NEW_PASSWORD } from '../support/recovery';
import { serveSecondFactor } from '../support/second-factor-app';
import { SESSION } from '../support/session-app';
import { SoftwareAuthenticator } from '../support/software-authenticator';
import { fetchIdToken, shiftIdToken } from '../support/test-users';

/** Records this process's actions in order: limits by their names, and expensive steps. The real functions run. */
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
  const verifyRegistrationResponse: typeof original.verifyRegistrationResponse = (options) => {
    journal.push('verify');
    return original.verifyRegistrationResponse(options);
  };
  const generateRegistrationOptions: typeof original.generateRegistrationOptions = (options) => {
    journal.push('options');
    return original.generateRegistrationOptions(options);
  };
  return { ...original, verifyAuthenticationResponse, verifyRegistrationResponse, generateRegistrationOptions };
});
vi.mock('@/lib/server/storage/rate-limits', async (importOriginal) => {
  const original = await importOriginal<typeof RateLimits>();
  const consumeLimit: typeof original.consumeLimit = async (limit, key) => {
    const hit = await original.consumeLimit(limit, key);
    journal.push(limit);
    return hit;
  };
  return { ...original, consumeLimit };
});
vi.mock('@/lib/server/identity/measure-call', async (importOriginal) => {
  const original = await importOriginal<typeof MeasureCall>();
  const measureProviderCall: typeof original.measureProviderCall = (operation, request) => {
    journal.push(operation);
    return original.measureProviderCall(operation, request);
  };
  return { ...original, measureProviderCall };
});
vi.mock('@/lib/server/notifications/email', async (importOriginal) => {
  const original = await importOriginal<typeof Email>();
  const sendEmail: typeof original.sendEmail = (...given) => {
    journal.push('email');
    return original.sendEmail(...given);
  };
  return { ...original, sendEmail };
});

vi.mock('@/lib/server/notifications/outbox/outbox', async (importOriginal) => {
  const original = await importOriginal<typeof Outbox>();
  const addNotice: typeof original.addNotice = (...given) => {
    journal.push('notice');
    return original.addNotice(...given);
  };
  return { ...original, addNotice };
});
vi.mock('@/lib/server/accounts/data-tables', async (importOriginal) => {
  const original = await importOriginal<typeof Tables>();
  const readTables: typeof original.readTables = (...given) => {
    journal.push('tables');
    return original.readTables(...given);
  };
  return { ...original, readTables };
});
vi.mock('@/lib/server/accounts/breached-passwords', async (importOriginal) => {
  const original = await importOriginal<typeof BreachedPasswords>();
  const isBreached: typeof original.isBreached = (password) => {
    journal.push('look-up');
    return original.isBreached(password);
  };
  return { ...original, isBreached };
});

const app = serveSecondFactor();
const { call, newBrowser, signIn, post, expectCode, begun, show } = app;

beforeEach(() => {
  scrypt.mockClear();
});

/** @returns the code of 30 seconds ago, which is accepted */
async function getCode(secret: string): Promise<string> {
  await awaitRoomInStep();
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
  // One of the twenty codes was typed to turn it on.
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
  // The phone has used one of the thirty.
  expect(answers.filter(({ status }) => status === 403)).toHaveLength(29);
  expect(answers.at(-1)?.body).toMatchObject({ code: 'too-many-requests' });
  const records = await getRecords();
  const left = await records.transact((tx) =>
    tx.select().from(pendingSignIns).where(eq(pendingSignIns.uid, app.user.uid)).limit(100),
  );
  expect(left).toHaveLength(11);
  // Sign-ins of other browsers have not ended it. The owner's notice has the time of the first sign-in.
  expect((await show(own, { recoveryCode: '0000-0000-0000-0000' })).body).toMatchObject({ code: 'code-wrong' });
  const ofLaptop = left.filter(({ system }) => system !== 'Android');
  expect(Math.min(...ofLaptop.map(({ since }) => Number(since)))).toBeLessThan(
    Math.min(...ofLaptop.map(({ createdAt }) => Number(createdAt))),
  );
});

type Call = () => Promise<unknown>;
/**
 * The name of a step in the journal, and functions that prepare a call. `prepare` makes a call that takes the step.
 * `unauthorized` makes a call without the required proof.
 */
type Step = { written: string; prepare: () => Promise<Call>; unauthorized?: () => Promise<Call> };

/** Creates a browser with a session whose proof is too old for changes. */
async function signInLongAgo(): Promise<CookieJar> {
  const browser = newBrowser();
  await signIn(browser);
  app.advance(400);
  return browser;
}

async function beginCeremony(browser: CookieJar, path: string, body?: object) {
  const answer = await call(browser, `passkeys/${path}`, body);
  type Options = Parameters<SoftwareAuthenticator['get']>[0] & Parameters<SoftwareAuthenticator['create']>[0];
  return answer.body as { options: Options; challenge: string };
}

/** @returns the code of the last email to the address */
async function readCode(email: string): Promise<string> {
  await drainBehindResponses();
  return codeIn((await mailsTo({ mailboxUrl: inject('mailboxUrl') }, email)).at(-1) ?? { text: '' });
}

async function beginReset(): Promise<{ browser: CookieJar; code: string }> {
  const browser = newBrowser();
  await call(browser, 'password-reset', { email: app.user.email });
  return { browser, code: await readCode(app.user.email) };
}

async function beginRegistration(): Promise<{ browser: CookieJar; code: string }> {
  const browser = newBrowser();
  const email = `${randomUUID()}@campus.test`;
  await call(browser, 'registration', { name: 'Mia Moreau', email, password: NEW_PASSWORD });
  return { browser, code: await readCode(email) };
}

/** Returns the link of an email about a sign-in on a phone that is not the owner's. */
async function announceIntruder(): Promise<string> {
  const { uid, email } = app.user;
  await signIn(newBrowser());
  const phone = newBrowser('phone');
  await nextSecond();
  await signIn(phone);
  const session = await app.getId(phone);
  return sealDisavowalLink({ uid, session, at: new Date().toISOString(), to: email });
}

/** Opens the page /actions for a code that was in its URL. */
async function openLinkPage(code: string): Promise<Call> {
  const load = async (query: Record<string, string>, cookies: Record<string, string>) => {
    const req = Object.assign(new IncomingMessage(new Socket()), { cookies });
    const res = new ServerResponse(req);
    await loadActionStep({ req, res, query, resolvedUrl: '/actions' });
    return res;
  };
  const moved = await load({ mode: 'verifyEmail', oobCode: code }, {});
  const { name = '', value = '' } = parseSetCookie(String([moved.getHeader('set-cookie')].flat()[0])) ?? {};
  return () => load({}, { [name]: value });
}

describe('docs/security.md says what is counted before an expensive step', () => {
  /** Reads the document's rows for each step: limits in the order in which they are counted. */
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

  const steps: [string, Step][] = [
    [
      'Make recovery codes',
      {
        written: 'scrypt',
        prepare: async () => {
          const laptop = newBrowser();
          await signIn(laptop);
          const code = await beginApp(laptop);
          return () => post(laptop, 'confirm-app', { code });
        },
        unauthorized: async () => {
          const laptop = newBrowser();
          await signIn(laptop);
          const code = wrongCode(await beginApp(laptop));
          return () => call(laptop, 'second-factor/confirm-app', { code });
        },
      },
    ],
    [
      'Compare a recovery code',
      {
        written: 'scrypt',
        prepare: async () => {
          const { codes } = await app.enrol();
          const phone = newBrowser('phone');
          await begun(phone);
          return () => show(phone, { recoveryCode: codes[1] });
        },
        unauthorized: async () => {
          const { codes } = await app.enrol();
          return () => show(newBrowser('phone'), { recoveryCode: codes[1] });
        },
      },
    ],
    [
      'Verify a passkey',
      {
        written: 'verify',
        prepare: async () => {
          const { authenticator } = await app.enroll();
          const phone = newBrowser('phone');
          const { options, challenge } = await beginCeremony(phone, 'sign-in-options');
          const response = authenticator.get(options);
          return () => call(phone, 'passkeys/sign-in', { challenge, response });
        },
        unauthorized: async () => {
          const { authenticator } = await app.enroll();
          const phone = newBrowser('phone');
          const { options, challenge } = await beginCeremony(phone, 'sign-in-options');
          const response = authenticator.get(options);
          return () => call(phone, 'passkeys/sign-in', { challenge: `${challenge.slice(0, -8)}AAAAAAAA`, response });
        },
      },
    ],
    [
      'Make options for a new passkey',
      {
        written: 'options',
        prepare: async () => {
          const laptop = newBrowser();
          await signIn(laptop);
          return () => call(laptop, 'passkeys/creation-options', { source: 'settings' });
        },
        unauthorized: async () => {
          const laptop = await signInLongAgo();
          return () => call(laptop, 'passkeys/creation-options', { source: 'settings' });
        },
      },
    ],
    [
      'Verify a new passkey',
      {
        written: 'verify',
        prepare: async () => {
          const laptop = newBrowser();
          await signIn(laptop);
          const { options, challenge } = await beginCeremony(laptop, 'creation-options', { source: 'settings' });
          const response = new SoftwareAuthenticator().create(options);
          return () => call(laptop, 'passkeys/add', { challenge, response });
        },
        unauthorized: async () => {
          const laptop = newBrowser();
          await signIn(laptop);
          const { options } = await beginCeremony(laptop, 'creation-options', { source: 'settings' });
          const response = new SoftwareAuthenticator().create(options);
          // Anyone can get such a challenge.
          const { challenge } = await beginCeremony(laptop, 'sign-in-options');
          return () => call(laptop, 'passkeys/add', { challenge, response });
        },
      },
    ],
    [
      'Verify an ID token',
      {
        written: 'verifyIdToken',
        prepare: async () => {
          const token = await fetchIdToken(app.user);
          return () => app.open(newBrowser(), token);
        },
      },
    ],
    [
      'Create a session',
      {
        written: 'createSessionCookie',
        prepare: async () => {
          const token = await fetchIdToken(app.user);
          return () => app.open(newBrowser(), token);
        },
        unauthorized: async () => {
          await app.enrol();
          const token = await fetchIdToken(app.user);
          return () => app.open(newBrowser('phone'), token);
        },
      },
    ],
    [
      'Announce a sign-in',
      {
        written: 'notice',
        prepare: async () => {
          await signIn(newBrowser());
          const token = await fetchIdToken(app.user);
          return () => app.open(newBrowser('phone'), token);
        },
      },
    ],
    [
      'Check a session',
      {
        written: 'getUser',
        prepare: async () => {
          const laptop = newBrowser();
          await signIn(laptop);
          return () => app.check(laptop);
        },
        unauthorized: () => {
          const stranger = newBrowser();
          stranger.cookies[SESSION] = 'a.b.c';
          return Promise.resolve(() => app.check(stranger));
        },
      },
    ],
    [
      'Mint a custom token',
      {
        written: 'createCustomToken',
        prepare: async () => {
          const laptop = newBrowser();
          await signIn(laptop);
          return () => call(laptop, 'auto-sign-in');
        },
        unauthorized: async () => {
          const laptop = await signInLongAgo();
          return () => call(laptop, 'auto-sign-in');
        },
      },
    ],
    [
      'Read an account by its address',
      {
        written: 'getUserByEmail',
        prepare: () => Promise.resolve(() => call(newBrowser(), 'sign-in-help', { email: app.user.email })),
      },
    ],
    [
      'Send a requested email',
      {
        written: 'email',
        prepare: () => Promise.resolve(() => call(newBrowser(), 'password-reset', { email: app.user.email })),
      },
    ],
    [
      'Send another code',
      {
        written: 'email',
        prepare: async () => {
          const browser = newBrowser();
          const { body } = await call(browser, 'password-reset', { email: app.user.email });
          await drainBehindResponses();
          app.advance(31);
          return () => call(browser, 'password-reset/resend', { flow: body?.flow });
        },
        unauthorized: () => Promise.resolve(() => call(newBrowser(), 'password-reset/resend')),
      },
    ],
    [
      'Confirm an address by its code, and create the account of a registration',
      {
        written: 'getUserByEmail',
        prepare: async () => {
          const { browser, code } = await beginRegistration();
          return () => call(browser, 'registration/confirm', { code });
        },
        unauthorized: async () => {
          const { browser, code } = await beginRegistration();
          return () => call(browser, 'registration/confirm', { code: wrongCode(code) });
        },
      },
    ],
    [
      'Reset a password by its code',
      {
        written: 'getUserByEmail',
        prepare: async () => {
          const { browser, code } = await beginReset();
          return () => call(browser, 'password-reset/confirm', { code, password: NEW_PASSWORD });
        },
        unauthorized: async () => {
          const { browser, code } = await beginReset();
          return () => call(browser, 'password-reset/confirm', { code: wrongCode(code), password: NEW_PASSWORD });
        },
      },
    ],
    ['Look at a link of an email', { written: 'accounts:resetPassword', prepare: () => openLinkPage('code') }],
    [
      'Look at a link of an email',
      {
        written: 'getUser',
        prepare: async () => openLinkPage(await sealConfirmationLink({ ...app.user, registration: 'r', creates: '' })),
        unauthorized: () => openLinkPage('a.b.c.d.e'),
      },
    ],
    [
      'Redeem a link of an email',
      {
        written: 'accounts:resetPassword',
        prepare: () =>
          Promise.resolve(() =>
            call(newBrowser(), 'actions/reset-password', { oobCode: 'code', password: NEW_PASSWORD }),
          ),
      },
    ],
    [
      'Undo a sign-in',
      {
        written: 'accounts:update',
        prepare: async () => {
          const code = await announceIntruder();
          return () => call(newBrowser(), 'actions/disavow-sign-in', { code });
        },
        unauthorized: async () => {
          const code = await announceIntruder();
          await call(newBrowser(), 'actions/disavow-sign-in', { code });
          return () => call(newBrowser(), 'actions/disavow-sign-in', { code });
        },
      },
    ],
    [
      'Look up the password of a link or a first sign-in',
      {
        written: 'look-up',
        prepare: async () => {
          await getIdentityAdmin().updateUser(app.user.uid, { emailVerified: false });
          const code = await sealConfirmationLink({ ...app.user, registration: 'r', creates: '' });
          return () => call(newBrowser(), 'actions/verify-email', { code, password: NEW_PASSWORD });
        },
        unauthorized: () =>
          Promise.resolve(() =>
            call(newBrowser(), 'actions/verify-email', { code: 'a.b.c.d.e', password: NEW_PASSWORD }),
          ),
      },
    ],
    [
      'Look up the password of a new account',
      {
        written: 'look-up',
        prepare: () =>
          Promise.resolve(() =>
            call(newBrowser(), 'registration', {
              name: 'Mia Moreau',
              email: `${randomUUID()}@campus.test`,
              password: NEW_PASSWORD,
            }),
          ),
      },
    ],
    ...(['look-up', 'accounts:signInWithPassword'] as const).map((written): [string, Step] => [
      written === 'look-up'
        ? 'Look up a new password among breached ones'
        : 'Check the current password, and set a new one',
      {
        written,
        prepare: async () => {
          const laptop = newBrowser();
          await signIn(laptop);
          return () => call(laptop, 'account/password', { current: app.user.password, password: NEW_PASSWORD });
        },
        unauthorized: () =>
          Promise.resolve(() =>
            call(newBrowser(), 'account/password', { current: app.user.password, password: NEW_PASSWORD }),
          ),
      },
    ]),
    [
      'Change a name',
      {
        written: 'accounts:update',
        prepare: async () => {
          const laptop = newBrowser();
          await signIn(laptop);
          return () => call(laptop, 'account/name', { name: 'Mia Moreau' });
        },
        unauthorized: () => Promise.resolve(() => call(newBrowser(), 'account/name', { name: 'Mia Moreau' })),
      },
    ],
    ...(['Read all data of an account', 'Schedule a deletion, with its emails'] as const).map((row): [string, Step] => {
      const [path, written] = row === 'Read all data of an account' ? ['data', 'tables'] : ['delete', 'notice'];
      return [
        row,
        {
          written,
          prepare: async () => {
            const laptop = newBrowser();
            await signIn(laptop);
            const token = await fetchIdToken(app.user);
            return () => call(laptop, `account/${path}`, { token });
          },
          unauthorized: async () => {
            const laptop = newBrowser();
            await signIn(laptop);
            const token = shiftIdToken(await fetchIdToken(app.user), -400);
            return () => call(laptop, `account/${path}`, { token });
          },
        },
      ];
    }),
  ];

  test('for each step', () => {
    const isCounted = ([, counted]: [string, string[]]) => counted.length > 0;
    expect([...rows].filter((row) => !isCounted(row)).map(([step]) => step)).toEqual(['Check a session']);
    expect([...new Set(steps.map(([step]) => step))].sort()).toEqual([...rows.keys()].sort());
  });

  test.each(steps)('%s', async (name, { written, prepare }) => {
    const take = await prepare();
    journal.length = 0;
    await take();
    await drainBehindResponses();
    expect(journal).toEqual(expect.arrayContaining([written]));
    const before = journal.slice(0, journal.indexOf(written));
    expect(before.filter((entry) => entry in LIMITS)).toEqual(rows.get(name));
  });

  const guarded = steps.flatMap(([name, { written, unauthorized }]) =>
    unauthorized ? [{ name, written, unauthorized }] : [],
  );
  test.each(guarded)('$name: not without what has to be shown', async ({ name, written, unauthorized }) => {
    const take = await unauthorized();
    await drainBehindResponses();
    journal.length = 0;
    await take();
    await drainBehindResponses();
    const [first] = rows.get(name) ?? [];
    const counted = journal.find((entry) => entry in LIMITS);
    // Without the session or link that normally identifies the caller, the limit counts by client network.
    if (first?.startsWith('calls-of-')) expect(counted).toBeDefined();
    else expect(counted).toBe(first);
    expect(journal).not.toContain(written);
  });
});

test('of the calls that check one session, one asks the identity provider', async () => {
  const laptop = newBrowser();
  await signIn(laptop);
  journal.length = 0;
  await Promise.all(Array.from({ length: 20 }, () => app.check(laptop)));
  await app.check(laptop);
  expect(journal.filter((entry) => entry === 'getUser')).toHaveLength(1);
});
