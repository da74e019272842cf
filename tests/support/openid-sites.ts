// cspell:ignore مكتبة البحيرة
import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Page } from '@playwright/test';
import { writeOidcFiles } from '../../scripts/lib/oidc-files.mjs';
import { listen } from './listen';
import { startOtherApp, type Endpoints } from '../../scripts/lib/stack.mjs';

/** Websites that sign in here. Each has its own host, which only browsers resolve. */
const NAMES = ['moodle', 'library', 'lab'] as const;
export type SiteName = (typeof NAMES)[number];

export const MOODLE = "St. Mary's Gymnasium Überlingen";
export const LIBRARY = 'مكتبة البحيرة';

export type Sites = Endpoints & { getSite: (name: SiteName) => string };

export const getCallback = ({ getSite }: Sites, name: SiteName) => `${getSite(name)}/callback`;
export const getMoodleLogout = ({ getSite }: Sites) => `${getSite('moodle')}/login/logout.php`;

/**
 * Starts the deployed app with websites that it cannot notify of a sign-out. One of them has a page on which its users
 * sign out.
 */
export async function startWithSites(shared: Endpoints, locales: string) {
  const { port, stop } = await listen((req, res) => {
    const { pathname, searchParams } = new URL(req.url ?? '/', shared.appOrigin);
    const icon = searchParams.get('icon') ?? '';
    res.setHeader('content-type', 'text/html').end(`<h1>${pathname}</h1><img alt="" src="${icon}">`);
  });
  const getSite = (name: SiteName) => `http://${name}.lakeside.localhost:${String(port)}`;
  const dir = mkdtempSync(path.join(os.tmpdir(), 'openid-sites-'));
  const { env } = writeOidcFiles(dir, 0);
  const describe = (name: SiteName, more: object) => ({
    redirectUris: [`${getSite(name)}/callback`],
    authentication: 'client_secret_post',
    secretFile: path.join(dir, 'oidc/school-secret'),
    ...more,
  });
  const clients = {
    moodle: describe('moodle', { name: MOODLE, logoutUri: `${getSite('moodle')}/login/logout.php`, pkce: false }),
    library: describe('library', { name: LIBRARY }),
    lab: describe('lab', { name: 'Lab', reauthenticate: true }),
  };
  writeFileSync(env.OIDC_CLIENTS_FILE ?? '', JSON.stringify({ clients }));
  const app = await startOtherApp(shared, { ...env, LOCALES: locales });
  return {
    sites: { ...app.endpoints, getSite } satisfies Sites,
    stop: async () => {
      await app.stop();
      await stop();
    },
  };
}

/** Opens the authorization endpoint, as a website does. */
export async function leadToSignIn(
  page: Page,
  sites: Sites,
  name: SiteName,
  more: Record<string, string> = {},
): Promise<void> {
  const challenge = createHash('sha256').update(randomBytes(32)).digest('base64url');
  const query = new URLSearchParams({
    ...{
      client_id: name,
      redirect_uri: getCallback(sites, name),
      response_type: 'code',
      scope: 'openid',
      state: 'of-site',
    },
    ...{ code_challenge: challenge, code_challenge_method: 'S256', ...more },
  });
  await page.goto(`${sites.appOrigin}/api/oidc/authorize?${query.toString()}`);
}
