import { vi } from 'vitest';

/** As long as `expect.poll` waits (vitest.config.mts): a busy machine must not fail a test. By default these wait for a second. */
const LONG = { timeout: 60_000 };
const { waitFor, waitUntil } = vi;

vi.waitFor = (callback, options) => waitFor(callback, typeof options === 'number' ? options : { ...LONG, ...options });
vi.waitUntil = (callback, options) =>
  waitUntil(callback, typeof options === 'number' ? options : { ...LONG, ...options });
