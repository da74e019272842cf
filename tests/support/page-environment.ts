import type { Environment } from 'vitest/runtime';

/** Resolves modules as for a browser. dom-setup.ts makes the page for each file. */
export default {
  name: 'page',
  viteEnvironment: 'client',
  setup: () => ({ teardown: () => undefined }),
} satisfies Environment;
