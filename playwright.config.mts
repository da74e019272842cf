import os from 'node:os';
import { defineConfig } from '@playwright/test';
import { readdirSync } from 'node:fs';
import { getDistance, leftOut, listChanged, startsWithNearest } from './scripts/lib/test-tiers.mjs';
import { findBrowser } from './scripts/lib/test-tools.mjs';
// Tests are loaded as CommonJS, which can import only ES modules that are already loaded.
import './scripts/lib/dev-copy.mjs';

// Chromium's sandbox does not work as root in a container. The other flags disable Chromium's background requests.
const asRoot = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
const quiet = [
  '--disable-gpu',
  '--disable-quic',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** If the run may end before its last test, run the tests first that are nearest to the change. */
function listProjects() {
  const changed = listChanged();
  const files = readdirSync('tests/e2e').filter((file) => file.endsWith('.nightly.spec.ts'));
  return [0, 1, 2].map((distance) => ({
    name: ['changed', 'near', 'far'][distance] ?? '',
    testMatch: files
      .filter((file) => getDistance(`tests/e2e/${file}`, changed) === distance)
      .map((file) => `**/${file}`),
  }));
}

export default defineConfig({
  testDir: 'tests/e2e',
  testIgnore: leftOut,
  outputDir: 'test-results',
  globalSetup: './tests/support/global-setup.ts',
  workers: os.availableParallelism(),
  fullyParallel: true,
  retries: 0,
  forbidOnly: Boolean(process.env.CI),
  // Ends a test that hangs. A busy machine must not fail a test.
  timeout: 300_000,
  expect: {
    timeout: 60_000,
    // One readable file per screen. Extra elements on the screen fail the test, too.
    toMatchAriaSnapshot: { pathTemplate: 'tests/e2e/outlines/{arg}{ext}', children: 'deep-equal' },
  },
  updateSnapshots: 'none',
  ...(startsWithNearest && { projects: listProjects() }),
  reporter: [['line']],
  use: {
    // Recording a trace of every test would take half as much CPU time again. `--trace on` records a trace.
    screenshot: 'only-on-failure',
    launchOptions: { executablePath: findBrowser(), args: [...asRoot, ...quiet] },
  },
});
