import { startDevCopy } from '../../scripts/lib/dev-copy.mjs';
import { SAMPLE_PASSWORD, sampleUsers } from '../../scripts/lib/sample-users.mjs';
import { expect, test as base } from '../support/fixtures';
import { expectDashboard, pageReady, getSignInUrl, submitSignIn } from '../support/journeys';

const test = base.extend<object, { dev: Awaited<ReturnType<typeof startDevCopy>> }>({
  dev: [
    async ({}, use) => {
      const dev = await startDevCopy();
      await use(dev);
      await dev.remove();
    },
    { scope: 'worker', timeout: 300_000 },
  ],
});
test.describe.configure({ mode: 'serial' });

test('npm run dev shows a change without a reload, signs in a sample user, and logs no error', async ({
  page,
  dev,
  endpoints: tests,
}) => {
  const [learner] = sampleUsers;
  const endpoints = { ...tests, ...dev };
  const errors: string[] = [];
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));

  await page.goto(getSignInUrl(endpoints));
  await pageReady(page);
  await page.evaluate(() => Object.assign(window, { sameDocument: true }));

  dev.edit('locales/en/sign-in.json', '"heading": "Sign in"', '"heading": "Edited text"');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Edited text');
  dev.edit('components/sign-in/sign-in-screen.tsx', '<SignInMethods ', '<p>Edited component</p><SignInMethods ');
  await expect(page.getByText('Edited component')).toBeVisible();
  dev.edit('components/ui/tokens.css', ':root {', ':root { --edited: yes;');
  const edited = () => page.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue('--edited'));
  await expect.poll(edited).toContain('yes');
  expect(await page.evaluate(() => 'sameDocument' in window)).toBe(true);

  // The route is compiled at the first request, and the platform waits only 5 s for it.
  await page.request.post(`${dev.appOrigin}/api/check-auth-status`);
  await submitSignIn(page, { email: learner?.email ?? '', password: SAMPLE_PASSWORD });
  await expectDashboard(page, endpoints, { name: learner?.displayName ?? '' });
  expect(errors).toEqual([]);
  // A page that is rendered without configuration has its own Content-Security-Policy.
  await page.goto(`${dev.appOrigin}/nowhere`);
  await pageReady(page);
});

test('Ctrl-C stops everything that npm run dev started', async ({ dev }) => {
  expect(await dev.interrupt()).toEqual([]);
});
