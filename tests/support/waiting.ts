import { vi } from 'vitest';

/**
 * This is as long as `expect.poll` waits (vitest.config.mts), because a busy machine must not fail a test. The default
 * is a second.
 */
const LONG = { timeout: 60_000 };
const { waitFor, waitUntil } = vi;

vi.waitFor = (callback, options) => waitFor(callback, typeof options === 'number' ? options : { ...LONG, ...options });
vi.waitUntil = (callback, options) =>
  waitUntil(callback, typeof options === 'number' ? options : { ...LONG, ...options });
