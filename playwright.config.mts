import os from 'node:os';
import { defineConfig } from '@playwright/test';
import { leftOut } from './scripts/lib/test-tiers.mjs';
import { findBrowser } from './scripts/lib/test-tools.mjs';
// Tests are loaded as CommonJS, which can import only those ES modules that are loaded already.
import './scripts/lib/dev-copy.mjs';

// Chromium's sandbox does not work as root in a container; the other flags disable Chromium's background requests.
const asRoot = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
const quiet = [
  '--disable-gpu',
  '--disable-quic',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export default defineConfig({
  testDir: 'tests/e2e',
  testIgnore: leftOut,
  outputDir: 'test-results',
  globalSetup: './tests/support/global-setup.ts',
  // Most of a test is waiting for the network, for timers and for the other processes.
  workers: os.availableParallelism() + 1,
  fullyParallel: true,
  retries: 0,
  forbidOnly: Boolean(process.env.CI),
  // They end a test that hangs: a busy machine must not fail one.
  timeout: 300_000,
  expect: {
    timeout: 60_000,
    // One readable file per screen; extra elements on the screen fail the test, too.
    toMatchAriaSnapshot: { pathTemplate: 'tests/e2e/outlines/{arg}{ext}', children: 'deep-equal' },
  },
  updateSnapshots: 'none',
  reporter: [['line']],
  use: {
    // Recording a trace of every test takes half as much CPU time again: `--trace on` records one.
    screenshot: 'only-on-failure',
    launchOptions: { executablePath: findBrowser(), args: [...asRoot, ...quiet] },
  },
});
