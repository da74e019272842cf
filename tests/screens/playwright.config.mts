import { defineConfig } from '@playwright/test';
import shared from '../../playwright.config.mts';

/** Makes docs/screens from the running product: `npm run screens`. */
export default defineConfig({
  ...shared,
  testDir: '.',
  outputDir: '../../test-results',
  globalSetup: '../support/global-setup.ts',
  globalTeardown: './gallery.ts',
  reporter: [['line']],
});
