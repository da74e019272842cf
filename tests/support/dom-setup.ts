import type { Options } from '@testing-library/user-event';
import { afterAll, afterEach, beforeEach, expect, vi } from 'vitest';
import { builtinEnvironments, type EnvironmentReturn } from 'vitest/runtime';
import { findOwnedTexts } from './owned-texts';

// The test files of a worker share one process, because loading a page's libraries takes more CPU time than most files.
// Each file has its own window, so no state is inherited. A window stays until the next exists, for code that a file
// left running.
const kept = globalThis as { earlierPage?: EnvironmentReturn };
await kept.earlierPage?.teardown(globalThis);
kept.earlierPage = await builtinEnvironments['happy-dom'].setup(globalThis, {});
// These libraries are loaded once and keep the first document that they find.
const [{ cleanup, configure, screen, within }, { userEvent }] = await Promise.all([
  import('@testing-library/react'),
  import('@testing-library/user-event'),
]);
Object.assign(screen, within(document.body));
const { setup } = userEvent;
Object.assign(userEvent, { setup: (options?: Options) => setup({ document, ...options }) });
// The SDK keeps its apps, and the first `fetch` that it finds.
vi.stubGlobal('fetch', (...given: Parameters<typeof fetch>) => globalThis.fetch(...given));
const [{ deleteApp, getApps }] = await Promise.all([import('firebase/app'), import('firebase/auth')]);
vi.unstubAllGlobals();
afterAll(async () => {
  Object.assign(userEvent, { setup });
  cleanup();
  vi.useRealTimers();
  vi.unstubAllGlobals();
  await Promise.all(getApps().map((app) => deleteApp(app)));
});

/**
 * This is as long as `expect.poll` waits (vitest.config.mts). A page whose code loads later must not fail a test on a
 * busy machine.
 */
configure({ asyncUtilTimeout: 60_000 });

// The browser must be able to translate every state that a test renders.
let owned: string[] = [];
const read = (records: MutationRecord[]) =>
  owned.push(...records.flatMap(({ addedNodes }) => [...addedNodes].flatMap(findOwnedTexts)));
const observer = new MutationObserver(read);
beforeEach(() => observer.observe(document, { childList: true, subtree: true }));
afterEach(() => {
  read(observer.takeRecords());
  observer.disconnect();
  const found = owned;
  owned = [];
  expect(found).toEqual([]);
});
