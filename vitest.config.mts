import path from 'node:path';
import { defineConfig } from 'vitest/config';

const alias = { '@': path.resolve(import.meta.dirname) };

/** A slow response on a busy machine must not fail a test. */
const polling = { poll: { timeout: 20_000 } };

export default defineConfig({
  resolve: { alias },
  test: {
    projects: [
      {
        resolve: { alias },
        test: {
          name: 'unit',
          include: ['{lib,pages,components,scripts,examples,tests/repo}/**/*.test.{ts,tsx}', '*.test.ts'],
          environment: 'node',
          testTimeout: 60_000,
          expect: polling,
        },
      },
      {
        resolve: { alias },
        test: {
          name: 'integration',
          include: ['tests/integration/**/*.test.ts'],
          exclude: ['tests/integration/attacks/**'],
          environment: 'node',
          globalSetup: ['tests/support/emulator-setup.ts'],
          setupFiles: ['tests/support/environment.ts'],
          testTimeout: 180_000,
          hookTimeout: 240_000,
          expect: polling,
        },
      },
      {
        resolve: { alias },
        test: {
          // Attack scenarios, over HTTP against the built app.
          name: 'attacks',
          include: ['tests/integration/attacks/**/*.test.ts'],
          environment: 'node',
          globalSetup: ['tests/support/attacks-setup.ts'],
          // Some repeat a race many times.
          testTimeout: 240_000,
          hookTimeout: 240_000,
          expect: polling,
        },
      },
    ],
  },
});
