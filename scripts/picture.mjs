// Creates docs/images/sign-in.png from the running product: node scripts/picture.mjs
import path from 'node:path';
import { chromium } from '@playwright/test';
import { root } from './lib/paths.mjs';
import { stopAllServices, stopServicesOnExit } from './lib/processes.mjs';
import { startStack } from './lib/stack.mjs';
import { findBrowser } from './lib/test-tools.mjs';

stopServicesOnExit();
const stack = await startStack({ name: 'picture' });
const browser = await chromium.launch({
  executablePath: findBrowser(),
  args: process.getuid?.() === 0 ? ['--no-sandbox', '--disable-gpu'] : [],
});
try {
  const page = await browser.newPage({ viewport: { width: 1200, height: 800 }, reducedMotion: 'reduce' });
  const callback = `${stack.endpoints.platformOrigin}/user/dashboard`;
  await page.goto(`${stack.endpoints.appOrigin}/sign-in?theme=light&redirect_uri=${encodeURIComponent(callback)}`);
  await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor();
  await page.waitForLoadState('networkidle');
  await page.screenshot({ path: path.join(root, 'docs/images/sign-in.png') });
} finally {
  await browser.close();
  await stack.stop();
  await stopAllServices();
}
process.exit(0);
