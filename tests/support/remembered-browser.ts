import { mkdtempSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect } from 'vitest';
import type { AppConfig } from '@/lib/shared/config/app-config';
import { nextSecond, type CookieJar } from './client';
import { configInForce, writeConfig } from './config-files';
import { serveSecondFactor, type Enrolled } from './second-factor-app';
import { fetchIdToken } from './test-users';

const origins = path.join(mkdtempSync(path.join(os.tmpdir(), 'origins-')), 'origins.json');
const write = (config: AppConfig) =>
  writeConfig(origins, { origins: { 'http://localhost': config, 'https://localhost': config } });

/** Gives the origin another app config. */
export async function configureOrigin(config: AppConfig): Promise<void> {
  write(config);
  await configInForce();
}

/** Serves the API at an origin that remembers browsers. */
export function serveRemembered() {
  write({ rememberBrowsers: true });
  process.env.ORIGINS_FILE = origins;
  const app = serveSecondFactor();
  const { call, newBrowser, show, assurance, open } = app;

  /** Creates a browser whose user has chosen to be remembered and has signed out since. */
  const remember = async ({ codeAt }: Enrolled): Promise<CookieJar> => {
    await nextSecond();
    const phone = newBrowser('phone');
    await app.begun(phone);
    expect(await show(phone, { code: codeAt(), remember: true })).toMatchObject({ status: 200 });
    expect(await assurance(phone)).toBe(2);
    await call(phone, 'initiate-logout');
    await nextSecond();
    return phone;
  };
  const signInAgain = async (browser: CookieJar) => open(browser, await fetchIdToken(app.user));

  return Object.assign(Object.create(app) as typeof app, { remember, signInAgain });
}
