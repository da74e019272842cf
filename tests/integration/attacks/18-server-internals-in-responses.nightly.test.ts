import { stringifyCookie } from 'cookie';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { paths } from '@/lib/shared/paths';
import { composeEmail } from '@/lib/server/notifications/email';
import { apiFiles } from '../../../scripts/lib/api-files.mjs';
import { EMAIL_KINDS } from '@/lib/server/notifications/email/email-contents';
import { sampleEmails, sampleSettings } from '../../../scripts/lib/sample-emails.mjs';
import { testDistDir } from '../../../scripts/lib/paths.mjs';
import { startOtherApp } from '../../../scripts/lib/stack.mjs';
import { attackTools, readPageData } from '../../support/attack';
import { CookieJar } from '../../support/client';
import { codeIn } from '../../support/mail';

/** Server internals that a response must not disclose, by name. */
const PATTERNS: Record<string, RegExp> = {
  'absolute path': /(?<![\w.\-/:])\/(?:tmp|work|home|root|usr|var|opt|etc|srv|proc|app|Users)\/[\w.@-]+/g,
  'Windows path': /\b[A-Z]:\\{1,2}\w+/g,
  'file address': /file:\/\/\/?\w[^\s"']*/g,
  'package path': /\b(?:node_modules|\.next[\w-]*)\/[\w.@/-]*/g,
  'stack trace': /\bat (?:async )?[\w.<>[\] ]*\(?(?:\/|node:|webpack|\[)[^\s"']*:\d+:\d+/g,
};

/**
 * Finds absolute paths, stack traces and internal names.
 * @param inside hosts and ports that only the operator knows
 * @returns each match with its kind
 */
function findLeaks(text: string, inside: readonly string[]): string[] {
  // Removes the escapes of JSON.
  const plain = text.replaceAll('\\/', '/').replaceAll('\\n', '\n');
  const endpoints = [process.cwd(), os.homedir(), os.hostname()].filter((name) => name.length > 3);
  return [
    ...Object.entries(PATTERNS).flatMap(([name, pattern]) =>
      [...plain.matchAll(pattern)].map(([found]) => `${name}: ${found}`),
    ),
    ...[...endpoints, ...inside].filter((name) => plain.includes(name)).map((name) => `inside: ${name}`),
  ];
}

const { endpoints, accounts, freshEmail, mails } = attackTools();
/** This loopback address occurs nowhere else in a response. */
const INSIDE = '127.0.0.66';
const inside = [INSIDE, ...[endpoints.smtpUrl, endpoints.mailboxUrl].map((url) => `:${new URL(url).port}`)];
const PASSWORD = 'quiet-lantern-42';

/** Fetches a whole response, with headers and text. */
async function fetchWhole(address: string, init: RequestInit = {}): Promise<string> {
  const response = await fetch(address, { redirect: 'manual', ...init });
  return `${JSON.stringify([...response.headers])}\n${await response.text()}`;
}
const fetchAs = (jar: CookieJar, address: string) =>
  fetchWhole(address, { headers: { cookie: stringifyCookie(jar.cookies) } });

test.each([
  ['{"localePath":"/tmp/app/locales"}', 'absolute path: /tmp/app'],
  [`{"a":"${process.cwd()}"}`, `inside: ${process.cwd()}`],
  ['{"stack":"Error: x\\n    at run (/srv/lib/a.js:1:2)"}', 'stack trace: at run (/srv/lib/a.js:1:2'],
  [
    'Error at async Object.<anonymous> (node:internal/x:1:2)',
    'stack trace: at async Object.<anonymous> (node:internal/x:1:2',
  ],
  ['redis://127.0.0.66:6379', 'inside: 127.0.0.66'],
  ['file:///x/y.js', 'file address: file:///x/y.js'],
])('the scan finds %s', (text, found) => {
  expect(findLeaks(text, inside)).toContain(found);
});

describe('pages', () => {
  const pages = [
    ...Object.values(paths),
    ...['/404', '/500', '/_error', '/nowhere', '/nowhere/at/all', '/%E0%A4%A', '/sign-in/', '/.env', '/package.json'],
    ...[
      '/_next/image?url=%2Fmark.svg&w=64&q=75',
      '/_next/static/nowhere.js',
      '/_next/data/x/sign-in.json',
      '/__/auth/x',
    ],
    ...[`${paths.partnerAuth}?partner=acme`, `${paths.actions}?mode=resetPassword&oobCode=abc`, '/%5B%5B', '//', '/\\'],
  ];
  let learner: CookieJar;
  let pending: CookieJar;
  let buildId: string;
  beforeAll(async () => {
    learner = new CookieJar({ origin: endpoints.appOrigin });
    const user = await accounts.create();
    await learner.post(`${endpoints.appOrigin}/api/create-user-session`, { token: await accounts.idToken(user) });
    expect(learner.cookies).toHaveProperty('_secure-user-session');
    pending = new CookieJar({ origin: endpoints.appOrigin });
    pending.cookies['pending-sign-in'] = 'any';
    const values = { name: 'Mia Moreau', email: freshEmail(), password: PASSWORD };
    await pending.post(`${endpoints.appOrigin}/api/registration`, values);
    await pending.post(`${endpoints.appOrigin}/api/password-reset`, { email: values.email });
    expect(Object.keys(pending.cookies)).toEqual(
      expect.arrayContaining(['email-confirmation-token', 'auth-password-reset']),
    );
    const html = await (await fetch(`${endpoints.appOrigin}/sign-in`)).text();
    buildId = /"buildId":"([^"]+)"/.exec(html)?.[1] ?? '';
  });

  test.each(pages)('%s reveals nothing about the server', async (page) => {
    for (const visitor of [new CookieJar(), learner, pending])
      expect(findLeaks(await fetchAs(visitor, endpoints.appOrigin + page), inside)).toEqual([]);
  });

  test.each(Object.values(paths))('the data of %s reveals nothing about the server', async (page) => {
    for (const visitor of [new CookieJar(), learner, pending]) {
      const answer = await fetchAs(visitor, `${endpoints.appOrigin}/_next/data/${buildId}${page}.json`);
      expect(answer).toMatch(/pageProps|x-nextjs-redirect/);
      expect(findLeaks(answer, inside)).toEqual([]);
    }
  });

  test('a page contains texts, but not the i18n configuration', async () => {
    const html = await (await fetch(`${endpoints.appOrigin}/sign-in`)).text();
    const data = readPageData(html);
    expect(Object.keys(data?.props.pageProps ?? {}).sort()).toEqual(['appConfig', 'publicEnv', 'texts']);
    expect(JSON.stringify(data)).not.toMatch(/localePath|userConfig|defaultLocale/);
  });

  test('no file for browsers reveals the build directory', () => {
    const folder = path.join(testDistDir, 'static');
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => /\.\w+$/.test(name));
    expect(files.length).toBeGreaterThan(20);
    const found = files.flatMap((name) => findLeaks(readFileSync(path.join(folder, name), 'utf8'), []));
    expect(found.filter((leak) => !leak.startsWith('package path'))).toEqual([]);
    expect(files.filter((name) => name.endsWith('.map'))).toEqual([]);
  });
});

describe('calls', () => {
  /** An app whose internal services are all unreachable. */
  let alone: Awaited<ReturnType<typeof startOtherApp>>;
  let origin = '';
  const greetings: string[] = [];
  const mailServer = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', (line) => {
      greetings.push(line.toString().trim());
      socket.destroy();
    });
    socket.write('220 ready\r\n');
  });
  beforeAll(async () => {
    await new Promise<void>((ready) => mailServer.listen(0, INSIDE, ready));
    alone = await startOtherApp(endpoints, {
      REDIS_URL: `redis://keeper:hidden-password@${INSIDE}:6379`,
      SMTP_URL: `smtp://${INSIDE}:${(mailServer.address() as AddressInfo).port}`,
      PLATFORM_API_URL: `http://${INSIDE}:8080`,
      UPSTREAM_IDENTITY_URL: `http://${INSIDE}:8081`,
      AUTH_HELPER_URL: `http://${INSIDE}:8082`,
      ADMIN_TOKEN: endpoints.adminToken,
    });
    origin = alone.endpoints.appOrigin;
  });
  afterAll(async () => {
    await alone.stop();
    mailServer.close();
  });

  const routes = apiFiles().map(({ path: address }) =>
    address.replace('{origin}', 'http%3A%2F%2Fx.test').replace('{path}', 'auth/handler'),
  );
  const own = (more: object = {}) => ({ origin, 'content-type': 'application/json', ...more });
  const values = {
    email: 'lena@campus.test',
    password: PASSWORD,
    name: 'Lena Lind',
    code: 'ABCDEF',
    token: 'a.b.c',
    oobCode: 'x',
  };
  const attempts = (): RequestInit[] => [
    { method: 'GET' },
    { method: 'GET', headers: { authorization: 'Bearer wrong' } },
    { method: 'GET', headers: { authorization: `Bearer ${endpoints.adminToken}` } },
    { method: 'PUT', headers: own(), body: '{}' },
    { method: 'OPTIONS', headers: { origin: 'https://evil.test' } },
    { method: 'POST', headers: { origin: 'https://evil.test' }, body: '{}' },
    { method: 'POST', headers: own(), body: '{' },
    { method: 'POST', headers: own(), body: '[]' },
    { method: 'POST', headers: own(), body: JSON.stringify(values) },
    {
      method: 'POST',
      headers: own({ cookie: '_secure-user-session=a.b.c; mobile-request=%7B' }),
      body: JSON.stringify(values),
    },
    { method: 'POST', headers: own({ 'content-type': 'text/plain' }), body: 'x' },
    { method: 'POST', headers: own(), body: JSON.stringify({ email: 'x'.repeat(20_000) }) },
  ];

  test.each([...routes, '/api', '/api/nowhere', '/monitoring', '/__/auth/handler', '/user/courses', '/security'])(
    '%s reveals no internals for any request',
    async (route) => {
      for (const init of attempts())
        expect(findLeaks(await fetchWhole(origin + route, init), inside), JSON.stringify(init)).toEqual([]);
    },
  );

  test('a learner gets no details of unreachable services', async () => {
    // This session belongs to an app with a database, because without a database no sign-in opens a session.
    const learner = new CookieJar({ origin: endpoints.appOrigin });
    const token = await accounts.idToken(await accounts.create());
    expect((await learner.post(`${endpoints.appOrigin}/api/create-user-session`, { token })).status).toBe(200);
    const refused = await new CookieJar({ origin }).post(`${origin}/api/create-user-session`, { token });
    expect(refused.status).toBe(503);
    expect(findLeaks(JSON.stringify(refused.body), inside)).toEqual([]);
    for (const route of [...routes, '/user/courses', '/security', '/sign-in'])
      expect(findLeaks(await fetchAs(learner, origin + route), inside), route).toEqual([]);
  });

  test('the mail server gets the public host name of the app', async () => {
    await new CookieJar({ origin }).post(`${origin}/api/sign-in-help`, { email: freshEmail() });
    await expect.poll(() => greetings.at(0)).toBe('EHLO localhost');
  });
});

describe('emails', () => {
  test('there is a sample of every email', () => {
    const source = readFileSync('lib/server/notifications/email/email-contents.ts', 'utf8');
    const spelled = [...source.matchAll(/^ {2}\| \{ kind: ('[^;]+);/gm)].flatMap(([, kinds = '']) =>
      [...kinds.matchAll(/'([\w-]+)'/g)].map(([, kind]) => kind),
    );
    expect(spelled.length).toBeGreaterThan(5);
    const samples = sampleEmails.map(({ kind }) => kind);
    expect([...spelled, ...EMAIL_KINDS].filter((kind) => !samples.some((each) => each === kind))).toEqual([]);
  });

  test.each(Object.entries(sampleSettings))('no email of %s reveals anything about the server', (_brand, setting) => {
    for (const email of sampleEmails as Parameters<typeof composeEmail>[0][])
      expect(findLeaks(JSON.stringify(composeEmail(email, setting)), inside), email.kind).toEqual([]);
  });

  test('no delivered email reveals anything about the server', async () => {
    const [registrant, user] = [freshEmail(), await accounts.create()];
    const visitor = new CookieJar({ origin: endpoints.appOrigin });
    const post = (route: string, body: object) => visitor.post(`${endpoints.appOrigin}/api/${route}`, body);
    await post('registration', { name: 'Mia Moreau', email: registrant, password: PASSWORD });
    await post('registration', { name: 'Mia Moreau', email: user.email, password: PASSWORD });
    await post('sign-in-help', { email: user.email });
    await post('email-link', { email: user.email });
    await post('password-reset', { email: user.email });
    const reset = (await mails(user.email, 4)).find(({ subject }) => subject.endsWith('reset code'));
    const code = codeIn(reset ?? { text: '' });
    expect((await post('password-reset/confirm', { code, password: PASSWORD })).status).toBe(200);
    const arrived = [...(await mails(registrant)), ...(await mails(user.email, 5))];
    const { headers, subject, text, html } = arrived[0] ?? {};
    expect([headers, subject, text, html]).not.toContain(undefined);
    for (const mail of arrived) {
      const { headers: all, subject: title, text: plain, html: page } = mail;
      expect(findLeaks([JSON.stringify(all), title, plain, page].join('\n'), inside), title).toEqual([]);
    }
  });
});
