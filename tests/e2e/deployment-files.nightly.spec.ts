// Threats: deployment-interruption
import { mkdirSync, mkdtempSync } from 'node:fs';
import path from 'node:path';
import { randomBytes } from 'node:crypto';
import { chromium, type BrowserContext } from '@playwright/test';
import { hasCaddy, startCaddy } from '../../scripts/lib/caddy.mjs';
import { hasNginx, startNginxWithTls } from '../../scripts/lib/nginx.mjs';
import { runDir, sampleFiles } from '../../scripts/lib/paths.mjs';
import { freePorts } from '../../scripts/lib/ports.mjs';
import { hasRedis, startRedis } from '../../scripts/lib/services.mjs';
import { createEmptyDatabase, findPostgres, startOwnPostgres } from '../../scripts/lib/postgres.mjs';
import { codeFor, freshEmail, submitRegistration } from '../support/account-journeys';
import { expect, test } from '../support/fixtures';
import { askByHttps } from '../support/https-request';
import { submitSignIn } from '../support/journeys';
import { startUnit } from '../support/shipped-unit';
import { startOtherApp, type Endpoints } from '../../scripts/lib/stack.mjs';

const HOST = 'id.campus.localhost';
const PLATFORM = 'https://learn.campus.localhost';
const COURSE = `${PLATFORM}/user/courses/the-night-sky`;
const appOrigin = `https://${HOST}`;

/**
 * Starts two processes of the unit, which share a database and Redis, if this machine has both. Otherwise it starts
 * one.
 */
async function startProcesses(shared: Endpoints, name: string) {
  // The processes have a separate /tmp.
  mkdirSync(runDir, { recursive: true });
  const dir = mkdtempSync(path.join(runDir, `${name}-`));
  const [redisPort = 0] = await freePorts(1);
  const redis = hasRedis() ? await startRedis({ port: redisPort, dir }) : undefined;
  const database = findPostgres() ? await startOwnPostgres() : undefined;
  const databaseUrl = database && (await createEmptyDatabase(database.url));
  const environment = [
    `NEXT_PUBLIC_APP_ORIGIN=${appOrigin}`,
    'NEXT_PUBLIC_MAIN_DOMAIN=campus.localhost',
    `NEXT_PUBLIC_PLATFORM_ORIGIN=${PLATFORM}`,
    `NEXT_PUBLIC_FIREBASE_PROJECT_ID=${shared.projectId}`,
    `FIREBASE_AUTH_EMULATOR_HOST=${shared.emulatorHost}`,
    `TOKEN_ENCRYPTION_SECRET=${randomBytes(32).toString('base64')}`,
    `SECOND_FACTOR_SECRET=${randomBytes(32).toString('base64')}`,
    `SMTP_URL=${shared.smtpUrl}`,
    `ORIGINS_FILE=${sampleFiles.ORIGINS_FILE}`,
    databaseUrl ? `DATABASE_URL=${databaseUrl}` : `DATABASE_FOLDER=${path.join(dir, 'records')}`,
    ...(redis ? [`REDIS_URL=${redis.url}`] : []),
    'TRUSTED_PROXY_HOPS=1',
    'SECURITY_CONTACT=mailto:security@campus.example',
    `SECURITY_CONTACT_EXPIRES=${new Date(Date.now() + 30 * 86_400_000).toISOString()}`,
    'SHUTDOWN_DELAY=0',
    'LOG_LEVEL=info',
  ];
  const processes: Awaited<ReturnType<typeof startUnit>>[] = [];
  for (const which of databaseUrl && redis ? ['first', 'second'] : ['first']) {
    const [port = 0, checkPort = 0] = await freePorts(2);
    const ownDir = path.join(dir, which);
    mkdirSync(ownDir);
    processes.push(await startUnit({ dir: ownDir, port, checkPort, environment }));
  }
  return {
    origins: processes.map(({ origin }) => origin),
    checkOrigins: processes.map(({ checkOrigin }) => checkOrigin),
    stop: async () => {
      await Promise.all(processes.map((each) => each.stop()));
      await Promise.all([database?.stop(), redis?.stop()]);
    },
  };
}

const PROXIES = [
  { name: 'nginx.conf', isThere: hasNginx(), start: startNginxWithTls },
  { name: 'Caddyfile', isThere: hasCaddy(), start: startCaddy },
];

for (const { name, isThere, start } of PROXIES)
  test(`the shipped unit behind the shipped ${name}: a whole journey by https`, async ({ endpoints: shared, user }) => {
    test.skip(!isThere, 'this proxy is not installed here');
    test.slow();
    const processes = await startProcesses(shared, name);
    const { origins, checkOrigins } = processes;
    const [httpPort = 0, httpsPort = 0] = await freePorts(2);
    const proxy = await start({ host: HOST, httpPort, httpsPort, origins, checkOrigins });
    const browser = await chromium.launch({
      ...test.info().project.use.launchOptions,
      args: [
        ...(test.info().project.use.launchOptions?.args ?? []),
        `--ignore-certificate-errors-spki-list=${proxy.fingerprint}`,
        `--host-resolver-rules=MAP *.campus.localhost:443 127.0.0.1:${String(httpsPort)},MAP *.campus.localhost:80 127.0.0.1:${String(httpPort)}`,
      ],
    });
    const endpoints = { ...shared, appOrigin };
    const context = await browser.newContext();
    const page = await context.newPage();
    // Stands in for the platform, which gets the session by its cookie.
    await context.route(`${PLATFORM}/**`, (route) =>
      route.fulfill({ contentType: 'text/html', body: '<h1>Platform</h1>' }),
    );
    const getCookie = async (at: BrowserContext) =>
      (await at.cookies(PLATFORM)).map(({ name: each, value }) => `${each}=${value}`).join('; ');
    const place = { host: HOST, httpsPort, authority: proxy.authority };
    const check = (cookie: string) => askByHttps(place, 'POST', '/api/check-auth-status', { headers: { cookie } });

    await test.step('the address without https leads to the one with it', async () => {
      const answer = await page.goto(`http://${HOST}/sign-in?redirect_uri=${encodeURIComponent(COURSE)}`);
      expect(answer?.status()).toBe(200);
      expect(new URL(page.url()).origin).toBe(appOrigin);
    });

    await test.step('sign-in leads to the course, with a session that the platform can check', async () => {
      await submitSignIn(page, user);
      await expect(page).toHaveURL(COURSE);
      const cookie = await getCookie(context);
      expect(cookie).toContain('_secure-user-session=');
      expect((await check(cookie)).status).toBe(200);
    });

    await test.step('sign-out ends it', async () => {
      const cookie = await getCookie(context);
      await page.goto(`${appOrigin}/sign-out`);
      await page.getByRole('main').getByRole('button', { name: 'Sign out' }).click();
      await page.waitForURL((address) => address.pathname === '/sign-in');
      expect(await getCookie(context)).not.toContain('_secure-user-session=');
      expect((await check(cookie)).status).toBe(401);
    });

    await test.step('registration with a query leads to the course', async () => {
      const email = freshEmail();
      await page.goto(`${appOrigin}/registration?redirect_uri=${encodeURIComponent(COURSE)}&theme=dark`);
      await submitRegistration(page, endpoints, email);
      await page.getByLabel('Code', { exact: true }).fill(await codeFor(shared, email));
      await page.getByRole('link', { name: 'Continue' }).click();
      await expect(page).toHaveURL(COURSE);
      expect((await check(await getCookie(context))).status).toBe(200);
    });

    await test.step('pages of a session lead to sign-in without one', async () => {
      await context.clearCookies();
      await page.goto(`${appOrigin}/security?theme=dark`);
      expect(page.url()).toBe(`${appOrigin}/sign-in?return_to=security&theme=dark`);
    });

    await test.step('what the middleware rewrites is answered', async () => {
      const send = (method: string, target: string) => askByHttps(place, method, target);
      const problem = { 'content-type': 'application/problem+json' };
      expect(await send('GET', '/.well-known/security.txt')).toMatchObject({
        status: 200,
        text: expect.stringContaining(`Canonical: ${appOrigin}/.well-known/security.txt`),
      });
      expect(await send('GET', '/.well-known/webauthn')).toMatchObject({ status: 404 });
      // The emulator has its own helper, and no error service is configured. So these responses are the app's.
      expect(await send('GET', '/__/auth/handler')).toMatchObject({ status: 404, headers: problem });
      expect(await send('POST', '/monitoring')).toMatchObject({ status: 403, headers: problem });
    });

    await browser.close();
    await proxy.stop();
    await processes.stop();
  });

test('every address to listen on serves what the middleware rewrites, behind a proxy with https', async ({
  endpoints: shared,
}) => {
  test.slow();
  for (const HOSTNAME of ['127.0.0.1', 'localhost', '0.0.0.0', '::', '']) {
    const app = await startOtherApp(shared, { HOSTNAME, TRUSTED_PROXY_HOPS: '1' });
    const get = async (target: string, host: string) => {
      const headers = { 'x-forwarded-proto': 'https', 'x-forwarded-host': host, 'x-forwarded-for': '192.0.2.1' };
      return (await fetch(app.endpoints.appOrigin + target, { headers, redirect: 'manual' })).status;
    };
    for (const host of ['id.campus.example', 'localhost'])
      for (const [target, status] of [
        [`/sign-in?redirect_uri=${encodeURIComponent(COURSE)}`, 200],
        ['/registration?theme=dark', 200],
        ['/.well-known/change-password', 303],
        ['/.well-known/passkey-endpoints', 200],
        ['/__/auth/handler', 404],
      ] as const)
        expect(await get(target, host), `${target} at ${host}, with HOSTNAME=${HOSTNAME}`).toBe(status);
    await app.stop();
  }
});
