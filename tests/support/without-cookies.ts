import { chromium, type BrowserContext } from '@playwright/test';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const BLOCK = 2;

/** A browser whose user has blocked all cookies, which blocks storage as well. */
export async function browserWithoutCookies({ args }: { args?: string[] }) {
  const { findFullBrowser } = await import('../../scripts/lib/test-tools.mjs');
  const dir = mkdtempSync(path.join(os.tmpdir(), 'no-cookies-'));
  mkdirSync(path.join(dir, 'Default'));
  const preferences = { profile: { default_content_setting_values: { cookies: BLOCK } } };
  writeFileSync(path.join(dir, 'Default', 'Preferences'), JSON.stringify(preferences));
  const context: BrowserContext = await chromium.launchPersistentContext(dir, {
    executablePath: findFullBrowser(),
    args,
  });
  return {
    context,
    close: async () => {
      await context.close();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
