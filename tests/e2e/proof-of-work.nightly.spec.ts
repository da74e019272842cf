// Threats: flooding, stuffing
import type { Page } from '@playwright/test';
import { LIMITS, WATCHES } from '@/lib/server/storage/rate-limits/table';
import { PROOF_HEADER } from '@/lib/shared/request-headers';
import { startOtherApp, type Endpoints } from '../../scripts/lib/stack.mjs';
import { codeFor } from '../support/account-journeys';
import { expect, test as base } from '../support/fixtures';
import { expectPath, pageReady, submitSignIn } from '../support/journeys';

/**
 * Starts an app that requests proofs with production's difficulty. The shared app does not, because all tests come from
 * one client network.
 */
const test = base.extend<object, { asking: Endpoints }>({
  asking: [
    async ({ app }, use) => {
      const other = await startOtherApp(app, { PROOF_OF_WORK: '2000' });
      await use(other.endpoints);
      await other.stop();
    },
    { scope: 'worker', timeout: 120_000 },
  ],
});

/** Calls from the page's own network, as a stranger there would. */
function attack(page: Page, { path, body, count }: { path: string; body: object; count: number }): Promise<number[]> {
  return page.evaluate(
    async ([to, text, times]) => {
      const send = () =>
        fetch(to, { method: 'POST', credentials: 'omit', headers: { 'content-type': 'application/json' }, body: text });
      const statuses = [];
      for (let i = 0; i < times; i += 1) statuses.push((await send()).status);
      return statuses;
    },
    [path, JSON.stringify(body), count] as const,
  );
}

/** Watches a page's calls that bring a proof. @returns the texts of its status regions at that time */
async function watchProofs(page: Page, path: string): Promise<string[]> {
  const said: string[] = [];
  await page.route(`**${path}`, async (route) => {
    if (route.request().headers()[PROOF_HEADER])
      said.push((await page.getByRole('status').allTextContents()).join(' '));
    await route.continue();
  });
  return said;
}

const askForReset = async (page: Page, { appOrigin }: Endpoints, email: string) => {
  await page.goto(`${appOrigin}/forget-password`);
  await pageReady(page);
  const path = '/api/password-reset';
  await attack(page, { path, body: { email }, count: LIMITS['email-to-address'].proofAfter });
  expect(await attack(page, { path, body: { email }, count: 1 })).toEqual([403]);
  const said = await watchProofs(page, path);
  await page.getByLabel('Email', { exact: true }).fill(email);
  await page.getByRole('button', { name: 'Send reset code' }).click();
  return said;
};

test('a learner whose address is under attack gets a code, and hears that the page is busy', async ({
  page,
  asking,
  accounts,
}) => {
  const { email } = await accounts.create();
  const said = await askForReset(page, asking, email);
  await expectPath(page, asking, '/forget-password/instructions');
  expect(said).toEqual([expect.stringContaining('Sending')]);
  const code = await codeFor(asking, email, LIMITS['email-to-address'].proofAfter + 1);
  await page.getByLabel('Code', { exact: true }).fill(code);
  await expectPath(page, asking, '/forget-password/instructions');
  await expect(page.getByLabel('New password', { exact: true })).toBeVisible();
});

test('a browser that can make no proof says how long to wait', async ({ page, asking, accounts }) => {
  await page.addInitScript(() => Object.defineProperty(crypto, 'subtle', { value: undefined }));
  const { email } = await accounts.create();
  const said = await askForReset(page, asking, email);
  await expect(page.getByText('Too many attempts. Wait before you try again.')).toBeVisible();
  expect(said).toEqual([]);
});

test('a learner in a network with many failed sign-ins signs in', async ({ page, asking, accounts }) => {
  const user = await accounts.create();
  await page.goto(`${asking.appOrigin}/sign-in`);
  await pageReady(page);
  const path = '/api/create-user-session';
  const { proofAfter } = WATCHES['failed-sign-ins'];
  const lanes = Array.from({ length: 4 }, () =>
    attack(page, { path, body: { token: 'e30.e30.' }, count: 5 + proofAfter / 4 }),
  );
  expect((await Promise.all(lanes)).flat()).toContain(403);
  const said = await watchProofs(page, path);
  await submitSignIn(page, user);
  await expect(page).toHaveURL(`${asking.platformOrigin}/user/dashboard`);
  expect(said).toHaveLength(1);
});
