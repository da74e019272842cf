import type { Page } from '@playwright/test';
import { mkdtempSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { startOtherApp, type Endpoints } from '../../scripts/lib/stack.mjs';
import { getAppCode, getRecoveryCode, getSetUp, readCodes } from './second-factor-journeys';
import { SoftwareApp } from './totp';

export const SET_UP_PAGE = '/sign-in/set-up-second-factor';

/** Starts a separate app with these rules of its origin and of the organization Acme. */
export function startWithRules(shared: Endpoints, { origin, acme }: { origin?: object; acme?: object }) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'rules-'));
  const write = (name: string, content: object) => {
    const file = path.join(folder, name);
    writeFileSync(file, JSON.stringify(content));
    return file;
  };
  const enabledIdentities = ['password', 'enterprise'];
  return startOtherApp(shared, {
    ORIGINS_FILE: write('origins.json', {
      origins: { 'http://localhost': { brandName: 'Campus', enabledIdentities, secondFactor: origin } },
    }),
    DIRECTORY_FILE: write('directory.json', {
      enterprises: { 'acme.test': { name: 'Acme', provider: 'saml.acme', secondFactor: acme } },
    }),
  });
}

/** Creates the app whose key the open page shows, and enters its first code. */
export async function setUpApp(page: Page): Promise<SoftwareApp> {
  await getSetUp(page).click();
  const app = new SoftwareApp(await page.getByRole('definition').innerText());
  await getAppCode(page).fill(await app.nextCode());
  return app;
}

/** Goes through the steps on the open page. */
export async function setUp(page: Page): Promise<SoftwareApp> {
  const app = await setUpApp(page);
  const [code = ''] = await readCodes(page);
  await getRecoveryCode(page).fill(code);
  await page.getByRole('button', { name: 'Turn on', exact: true }).click();
  return app;
}
