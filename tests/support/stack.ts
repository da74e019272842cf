import type { startStack as StartStack, Endpoints, Stack } from '../../scripts/lib/stack.mjs';

export type { Endpoints, Stack };

/** Starts the whole product on free ports; see scripts/lib/stack.mjs. */
export const startStack: typeof StartStack = async (options) => {
  // Playwright loads tests as CommonJS, which can load an ES module only by dynamic import.
  const stack = await import('../../scripts/lib/stack.mjs');
  return stack.startStack(options);
};
