// Threats: foreign-client, split-state
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createDatabase, findPostgres, startPostgres } from '../../scripts/lib/postgres.mjs';
import { freePorts } from '../../scripts/lib/ports.mjs';
import { startOtherApp, type Endpoints } from '../../scripts/lib/stack.mjs';
import { writeOidcFiles } from '../../scripts/lib/oidc-files.mjs';
import { codeField } from '../support/code-page';
import { expect, test } from '../support/fixtures';
import { submitSignIn } from '../support/journeys';
import { startProxy } from '../support/proxy';
import { LIBRARIES, startRelyingPartySite } from '../support/relying-party-site';
import { enrolApp } from '../support/second-factor';

const NAMES = Object.keys(LIBRARIES) as (keyof typeof LIBRARIES)[];

const newFolder = (name: string) => mkdtempSync(path.join(os.tmpdir(), name));

/**
 * Starts the deployed app behind a proxy: two processes on PostgreSQL with different names, or one on the embedded
 * database.
 */
async function startDeployment(shared: Endpoints, kind: 'postgres' | 'embedded') {
  const dir = newFolder('libraries-');
  const [databasePort = 0, ...ports] = await freePorts(1 + NAMES.length);
  const database =
    kind === 'postgres' ? await startPostgres({ port: databasePort, dir: newFolder('libraries-postgres-') }) : null;
  const sites = await Promise.all(NAMES.map((name, at) => startRelyingPartySite(name, ports[at] ?? 0)));
  const { env, secret } = writeOidcFiles(dir, 0);
  const secretFile = path.join(dir, 'oidc/school-secret');
  const clients = sites.map(({ origin }, at): [string, object] => {
    const backchannelLogoutUri = `http://localhost:${String(ports[at])}/backchannel`;
    const client = { name: NAMES[at], redirectUris: [`${origin}/callback`], backchannelLogoutUri, secretFile };
    return [NAMES[at] ?? '', { ...client, authentication: 'client_secret_post' }];
  });
  writeFileSync(env.OIDC_CLIENTS_FILE ?? '', JSON.stringify({ clients: Object.fromEntries(clients) }));
  const proxy = await startProxy();
  const variables = {
    ...env,
    ...(database
      ? { DATABASE_URL: await createDatabase(database.url) }
      : { DATABASE_FOLDER: path.join(dir, 'records') }),
    NEXT_PUBLIC_APP_ORIGIN: proxy.origin,
    TOKEN_ENCRYPTION_SECRET: Buffer.alloc(32, 'a secret that both share').toString('base64'),
    SECOND_FACTOR_SECRET: Buffer.alloc(32, 'another that both share').toString('base64'),
    RECOVERY_CODE_COST: '4',
    TRUSTED_PROXY_HOPS: '1',
  };
  const hosts = kind === 'postgres' ? ['0.0.0.0', '127.0.0.1'] : ['localhost'];
  const apps = await Promise.all(hosts.map((HOSTNAME) => startOtherApp(shared, { ...variables, HOSTNAME })));
  proxy.passTo(...apps.map(({ endpoints }) => endpoints.appOrigin));
  const issuer = `${proxy.origin}/api/oidc`;
  for (const [at, site] of sites.entries()) site.use({ issuer, clientId: NAMES[at] ?? '', secret });
  return {
    issuer,
    sites,
    endpoints: { ...shared, appOrigin: proxy.origin },
    each: apps.map(({ endpoints }) => endpoints.appOrigin),
    stop: async () => {
      await Promise.all([...apps, ...sites].map((each) => each.stop()));
      await Promise.all([proxy.stop(), database?.stop()]);
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

for (const kind of ['postgres', 'embedded'] as const)
  test(`two libraries sign a browser in, silently the second time, on ${kind}`, async ({
    page,
    endpoints: shared,
    user,
  }) => {
    test.skip(
      kind === 'postgres' && findPostgres() === undefined,
      'there is no PostgreSQL server: apt-get install postgresql',
    );
    test.slow();
    const deployment = await startDeployment(shared, kind);
    const { sites, issuer, endpoints, each } = deployment;
    const [first, second] = sites;
    if (!first || !second) throw new Error('There are two libraries');

    await test.step('discovery is the same at every process, whatever its HOSTNAME and the headers are', async () => {
      const read = async (origin: string, headers = {}) =>
        (await fetch(`${origin}/api/oidc/.well-known/openid-configuration`, { headers })).text();
      const document = await read(endpoints.appOrigin);
      expect((JSON.parse(document) as { issuer: string }).issuer).toBe(issuer);
      for (const origin of each)
        for (const headers of [
          {},
          { 'x-forwarded-host': 'attacker.example', 'x-forwarded-proto': 'https', 'x-forwarded-port': '1' },
          { forwarded: 'host=attacker.example;proto=https', 'x-original-host': 'attacker.example' },
        ])
          expect(await read(origin, headers)).toBe(document);
    });

    await page.goto(first.origin);
    await expect(page).toHaveURL(new RegExp(`^${endpoints.appOrigin}/sign-in`));
    await submitSignIn(page, user);
    await expect(page.locator('#answer')).toHaveText(`Signed in as ${user.name}, ${user.uid}, aal1`);
    await page.goto(`${second.origin}/?prompt=none`);
    await expect(page.locator('#answer')).toHaveText(`Signed in as ${user.name}, ${user.uid}, aal1`);

    await test.step('two factors, when one of them asks', async () => {
      const app = await enrolApp(endpoints, user);
      await page.goto(`${second.origin}/?acr_values=aal2`);
      await submitSignIn(page, user);
      await codeField(page).fill(app.codeAt());
      await expect(page.locator('#answer')).toHaveText(`Signed in as ${user.name}, ${user.uid}, aal2`);
    });

    await test.step('a sign-out is told to both', async () => {
      await page.goto(first.origin);
      await expect(page.locator('#answer')).toContainText('Signed in as');
      const before = sites.map(({ told }) => told.length);
      await page.goto(`${endpoints.appOrigin}/sign-out`);
      await page.getByRole('main').getByRole('button', { name: 'Sign out' }).click();
      // Wait for this page, because the pending redirect would interrupt the navigation below.
      await page.waitForURL(`${endpoints.appOrigin}/sign-in`);
      await expect
        .poll(() => sites.map(({ told }, at) => told.length - (before[at] ?? 0)), { timeout: 30_000 })
        .toEqual([1, 1]);
      await page.goto(`${second.origin}/?prompt=none`);
      await expect(page.locator('#answer')).toHaveText('login_required');
    });
    await deployment.stop();
  });
