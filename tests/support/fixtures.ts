import { test as base, expect, type BrowserContext } from '@playwright/test';
import { answerGoogleApi } from './google-api';
import { createAccountsClient, type AccountsClient, type TestUser } from './accounts-client';
import { ACCOUNTS_KEY } from '@/lib/browser/auth/sign-in/this-device';
import { startOtherApp } from '../../scripts/lib/stack.mjs';
import { getTreeCpuMs } from '../../scripts/lib/cpu-time.mjs';
import type { Endpoints } from '../../scripts/lib/stack.mjs';

type Fixtures = {
  /** Whether a test sees the list of accounts that its browser remembers. Otherwise its pages remember none. */
  seesAccounts: boolean;
  /** Script errors that a test causes, or null for none. */
  expectedErrors: RegExp | null;
  /**
   * Factor for the limits of real time in pages (lib/shared/time-limit.ts). Use 1 if a service never responds in a
   * test.
   */
  timeLimitFactor: number;
  /** Records the CPU time of a test for the summary, including its browser and the programs that it started. */
  cpuTime: void;
  /** Fails a test if a script fails or a policy is violated in its pages. It also blocks requests to other machines. */
  noScriptErrors: void;
  endpoints: Endpoints;
  accounts: AccountsClient;
  /** A new user with a verified email address. */
  user: TestUser;
};

type WorkerFixtures = {
  /** `LOCALES` of the app. If given, the worker starts its own app. */
  locales: string | null;
  app: Endpoints;
};

let cpuMsBefore = 0;

export const test = base.extend<Fixtures, WorkerFixtures>({
  locales: [null, { option: true, scope: 'worker' }],
  app: [
    async ({ locales }, use) => {
      const shared = JSON.parse(process.env.E2E_ENDPOINTS ?? '{}') as Endpoints;
      if (locales === null) return use(shared);
      const app = await startOtherApp(shared, { LOCALES: locales });
      await use(app.endpoints);
      await app.stop();
    },
    { scope: 'worker', timeout: 240_000 },
  ],
  seesAccounts: [false, { option: true }],
  expectedErrors: [null, { option: true }],
  timeLimitFactor: [10, { option: true }],
  cpuTime: [
    async ({}, use, { annotations }) => {
      await use();
      const cpuMs = getTreeCpuMs(process.pid);
      annotations.push({ type: 'cpu', description: `${cpuMs - cpuMsBefore}` });
      cpuMsBefore = cpuMs;
    },
    { auto: true },
  ],
  noScriptErrors: [
    async ({ context, seesAccounts, expectedErrors, timeLimitFactor }, use) => {
      const errors: string[] = [];
      if (!seesAccounts) await forgetAccounts(context);
      await context.addInitScript((factor) => void (globalThis.timeLimitFactor = factor), timeLimitFactor);
      await answerGoogleApi(context);
      context.on('weberror', (error) => errors.push(error.error().message));
      await watchPolicy(context, errors);
      await use();
      expect(errors.filter((error) => expectedErrors?.test(error) !== true)).toEqual([]);
    },
    { auto: true },
  ],
  endpoints: async ({ app }, use) => use(app),
  accounts: async ({ endpoints }, use) => use(createAccountsClient(endpoints)),
  user: async ({ accounts }, use) => use(await accounts.create()),
});

/**
 * Forgets the remembered accounts before each page is shown. Otherwise their list would replace the form while it is
 * filled in.
 */
async function forgetAccounts(context: BrowserContext): Promise<void> {
  await context.addInitScript((key) => {
    try {
      localStorage.removeItem(key);
    } catch {
      // Storage is blocked, or the document has none.
    }
  }, ACCOUNTS_KEY);
}

/** Records every violation of a page's Content-Security-Policy, including frames and new windows. */
export async function watchPolicy(context: BrowserContext, found: string[]): Promise<void> {
  await context.exposeBinding('policyViolated', (_source, what: string) => found.push(what));
  await context.addInitScript(() => {
    const report = (globalThis as unknown as { policyViolated: (what: string) => void }).policyViolated;
    document.addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI, sourceFile, lineNumber }) =>
      report(`CSP: ${effectiveDirective} blocked ${blockedURI} at ${location.href} (${sourceFile}:${lineNumber})`),
    );
  });
}

export { expect };
