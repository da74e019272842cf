import type { startDevCopy as StartDevCopy } from '../../scripts/lib/dev-copy.mjs';

export type DevCopy = Awaited<ReturnType<typeof StartDevCopy>>;

/** Runs `npm run dev` in a copy of the source; see scripts/lib/dev-copy.mjs. */
export const startDevCopy: typeof StartDevCopy = async () => {
  // Playwright loads tests as CommonJS, which can load an ES module only by dynamic import.
  const copy = await import('../../scripts/lib/dev-copy.mjs');
  return copy.startDevCopy();
};
