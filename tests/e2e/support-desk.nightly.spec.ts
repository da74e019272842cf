// Threats: operator-token-abused
import type { Page } from '@playwright/test';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createDatabase } from '../../scripts/lib/postgres.mjs';
import { startOtherApp } from '../../scripts/lib/stack.mjs';
import type { Endpoints } from '../../scripts/lib/stack.mjs';
import { ACCOUNT_ACTIONS } from '@/lib/shared/support/desk';
import { getAlert } from '../support/account-journeys';
import { idpResponse, tokenBy } from '../support/accounts-client';
import { expectNoViolations } from '../support/axe';
import { CookieJar } from '../support/client';
import { expect, test as base } from '../support/fixtures';
import { mailsTo } from '../support/mail';
import { createOperator } from '../support/operators';
import { scheduleDeletion } from '../support/scheduled-deletion';
import { enrolApp } from '../support/second-factor';

type Desk = {
  endpoints: Endpoints;
  write: (operators: Record<string, object>) => void;
};

const ada = createOperator('ada', ['read', ...ACCOUNT_ACTIONS]);
const REASON = 'Ticket 4711';

/** An app with a support desk, for each test. All its calls come from one address, which has a limit. */
const test = base.extend<{ desk: Desk }>({
  desk: async ({ endpoints: shared }, use) => {
    const file = path.join(mkdtempSync(path.join(os.tmpdir(), 'operators-')), 'operators.json');
    const write = (operators: Record<string, object>) => writeFileSync(file, JSON.stringify({ operators }));
    write({ ada });
    const { databaseServer } = shared;
    test.skip(!databaseServer, 'There is no PostgreSQL server.');
    const database = await createDatabase(databaseServer ?? '');
    const app = await startOtherApp(shared, { OPERATORS_FILE: file, DATABASE_URL: database });
    await use({ endpoints: app.endpoints, write });
    await app.stop();
  },
});

const getToken = (page: Page) => page.getByLabel('Your token', { exact: true });
const getCount = (page: Page) => page.getByRole('heading', { level: 2 });
const getAccount = (page: Page, name: string) => page.getByRole('region', { name });

async function openDesk(page: Page, { endpoints }: Desk): Promise<void> {
  const response = await page.goto(`${endpoints.appOrigin}/support`);
  expect(response?.status()).toBe(200);
  await getToken(page).fill('token-of-ada');
}

async function lookUp(page: Page, by: string, value: string, count = 'One account found'): Promise<void> {
  await page.getByLabel('Search by').selectOption(by);
  await page.getByRole('textbox', { name: by, exact: true }).fill(value);
  await page.getByLabel('Reason', { exact: true }).fill(REASON);
  await page.getByRole('button', { name: 'Look up' }).click();
  await expect(getCount(page)).toHaveText(count);
  await expect(getCount(page)).toBeFocused();
}

/** Acts on the account that is shown, and confirms. */
async function act(page: Page, action: string, done: string, isConfirmed = true): Promise<void> {
  await page.getByLabel('Action', { exact: true }).selectOption(action);
  await page.getByRole('button', { name: action }).click();
  if (isConfirmed) {
    const question = page.getByRole('group', { name: action });
    await expect(question.getByRole('heading')).toBeFocused();
    await question.getByRole('button', { name: action }).click();
  }
  const outcome = page.getByRole('heading', { name: done });
  await expect(outcome).toBeFocused();
}

function openSession({ endpoints }: Desk, token: string) {
  const { appOrigin } = endpoints;
  const browser = new CookieJar({ origin: appOrigin, 'sec-fetch-site': 'same-origin' });
  const call = (name: string, body: object = {}) => browser.post(`${appOrigin}/api/${name}`, body);
  return { call, opened: call('create-user-session', { token }) };
}

test('the page answers what a learner asks', async ({ page, desk, accounts }) => {
  test.setTimeout(180_000);
  await openDesk(page, desk);
  await expect(page.locator('#__next')).toMatchAriaSnapshot(`
    - banner: Campus
    - main:
      - heading "Support desk" [level=1]
      - paragraph: Look up a learner's account, and act on it. The owner can read your name and your reason.
      - form "Look up an account":
        - text: Your token
        - textbox "Your token": token-of-ada
        - paragraph: This page forgets it when you close or reload it.
        - text: Search by
        - combobox "Search by":
          - option "Email" [selected]
          - option "Account id"
          - option "Support code"
          - option "Request id"
        - text: Email
        - textbox "Email"
        - paragraph: The address that the learner names.
        - text: Reason
        - textbox "Reason"
        - paragraph: The owner can read it. Name a ticket and no person.
        - button "Look up"
        - status
  `);
  await expectNoViolations(page, 'the empty page');

  await test.step("can't sign in", async () => {
    const user = await accounts.create();
    // Acme may not sign in addresses of this domain.
    const acme = idpResponse('saml.acme', { sub: user.uid, email: user.email });
    const refused = await openSession(desk, await tokenBy(desk.endpoints, 'signInWithIdp', acme)).opened;
    expect(refused.body).toMatchObject({ code: 'invalid-enterprise-domain' });
    await accounts.disable(user);
    const account = getAccount(page, user.email);
    // Refusals are recorded behind the response.
    await expect(async () => {
      await lookUp(page, 'Email', user.email);
      await expect(account).toContainText('refused, rule provider-outside-its-domains, saml.acme');
    }).toPass();
    await expect(account).toContainText('The account is disabled. No one can sign in to it.');
    await expectNoViolations(page, 'an account');
  });

  const user = await accounts.create();
  await test.step('no email', async () => {
    const browser = new CookieJar({ origin: desk.endpoints.appOrigin, 'sec-fetch-site': 'same-origin' });
    expect((await browser.post(`${desk.endpoints.appOrigin}/api/password-reset`, { email: user.email })).status).toBe(
      200,
    );
    await mailsTo(desk.endpoints, user.email);
    await lookUp(page, 'Account id', user.uid);
    const account = getAccount(page, user.email);
    await expect(account).toContainText('reset: sent');
    await expect(account).toContainText('Message-ID');
    await act(page, 'Send a password reset', 'The password reset is on its way to the owner.', false);
    await mailsTo(desk.endpoints, user.email, 2);
  });

  await test.step('what happened last week', async () => {
    await openSession(desk, await accounts.idToken(user)).opened;
    await lookUp(page, 'Email', user.email);
    const account = getAccount(page, user.email);
    await expect(account).toContainText('support-emailed, by ada');
    await expect(account).toContainText('signed-in, password');
  });

  await test.step('wrong address', async () => {
    const email = `${crypto.randomUUID()}@campus.test`;
    await lookUp(page, 'Email', email, 'No account found');
    await expect(page.getByRole('main')).toContainText('The app has sent no email in 30 days.');
    const browser = new CookieJar({ origin: desk.endpoints.appOrigin, 'sec-fetch-site': 'same-origin' });
    await browser.post(`${desk.endpoints.appOrigin}/api/password-reset`, { email });
    await mailsTo(desk.endpoints, email);
    await lookUp(page, 'Email', email.toUpperCase(), 'No account found');
    await expect(page.getByRole('main')).toContainText('no-account: sent');
    await expectNoViolations(page, 'no account');
  });

  await test.step('two accounts', async () => {
    const unused = await accounts.create();
    await lookUp(page, 'Email', unused.email);
    await act(page, 'Delete the account', 'The account is deleted.');
    await expect.poll(() => accounts.exists(unused.email)).toBe(false);
    await lookUp(page, 'Email', user.email);
  });

  await test.step('delete and prove it', async () => {
    await act(page, 'Export the data', 'The data is ready.', false);
    const [data] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save the data' }).click(),
    ]);
    expect(readFileSync(await data.path(), 'utf8')).toContain(user.email);
    await act(page, 'Delete the account', 'The account is deleted.');
    await expectNoViolations(page, 'the receipt');
    const [receipt] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save the receipt' }).click(),
    ]);
    const proof = JSON.parse(readFileSync(await receipt.path(), 'utf8')) as object;
    expect(proof).toMatchObject({
      uid: user.uid,
      emailed: true,
      deleted: expect.arrayContaining(['sessions']),
    });
    await lookUp(page, 'Account id', user.uid, 'No account found');
  });
});

test('the page changes an account as its owner asks', async ({ page, desk, accounts }) => {
  test.setTimeout(180_000);
  const user = await accounts.create();
  const enrolled = await enrolApp(desk.endpoints, user);
  expect(enrolled.recoveryCodes.length).toBeGreaterThan(0);
  await openDesk(page, desk);

  await test.step('unlock', async () => {
    for (let signIns = 0; signIns < 2; signIns += 1) {
      const thief = openSession(desk, await accounts.idToken(user));
      expect((await thief.opened).body).toMatchObject({ code: 'second-factor-required' });
      for (let tries = 0; tries < 5; tries += 1)
        expect((await thief.call('second-factor/sign-in', { code: enrolled.wrongCode() })).status).not.toBe(200);
    }
    await lookUp(page, 'Email', user.email);
    await expect(getAccount(page, user.email)).toContainText('Codes of authenticator apps are locked for 15 min.');
    await act(page, 'Unlock the codes', 'Codes of authenticator apps are accepted again.');
    await expect(getAccount(page, user.email)).not.toContainText('are locked');
  });

  await test.step('lost phone and codes', async () => {
    await lookUp(page, 'Email', user.email);
    await expect(getAccount(page, user.email)).toContainText('authenticator app added');
    await act(page, 'Turn off two-step verification', 'Two-step verification is off.');
    await expect(getAccount(page, user.email)).not.toContainText('authenticator app added');
  });

  const session = openSession(desk, await accounts.idToken(user));
  expect((await session.opened).status).toBe(200);
  await test.step('sign out everywhere', async () => {
    expect((await session.call('check-auth-status')).status).toBe(200);
    await act(page, 'Sign out everywhere', 'All sessions have ended.');
    await expect.poll(async () => (await session.call('check-auth-status')).status).toBe(401);
    await expect(getAccount(page, user.email)).toContainText('session ended, signed-out-by-support');
  });

  await test.step('taken over, and block this account', async () => {
    // Another operator is faster.
    await page.getByLabel('Action', { exact: true }).selectOption('Disable the account');
    await page.getByRole('button', { name: 'Disable the account' }).click();
    await accounts.disable(user);
    const question = page.getByRole('group', { name: 'Disable the account' });
    await question.getByRole('button', { name: 'Disable the account' }).click();
    await expect(question.getByRole('alert')).toHaveText('The account is disabled already.');
    await expectNoViolations(page, 'a refused action');
    await question.getByRole('button', { name: 'Cancel' }).click();
    await expect(page.getByRole('heading', { name: 'Act on this account' })).toBeFocused();
    await lookUp(page, 'Email', user.email);
    await expect(getAccount(page, user.email)).toContainText('No one can sign in to it.');
    await act(page, 'Enable the account', 'The account is enabled.');
    await act(page, 'Disable the account', 'The account is disabled.');
    // The state does not allow it twice.
    await expect(page.getByLabel('Action', { exact: true })).not.toContainText('Disable the account');
  });
});

test('a scheduled deletion is cancelled, and an email is confirmed again', async ({ page, desk, accounts }) => {
  const user = await accounts.create();
  await scheduleDeletion(desk.endpoints, user);
  await openDesk(page, desk);
  await lookUp(page, 'Email', user.email);
  await expect(getAccount(page, user.email)).toContainText('The account will be deleted on');
  await act(page, 'Cancel the deletion', 'The account is kept.');
  const unconfirmed = await accounts.create({ emailVerified: false });
  await lookUp(page, 'Email', unconfirmed.email);
  await act(page, 'Send the confirmation', 'The confirmation is on its way to the owner.', false);
  await mailsTo(desk.endpoints, unconfirmed.email);
});

test('a token stays in memory, and a removed operator loses nothing typed', async ({ page, desk, user }) => {
  const addresses: string[] = [];
  page.on('request', (request) => addresses.push(request.url()));
  const response = await page.goto(`${desk.endpoints.appOrigin}/support`);
  const headers = response?.headers() ?? {};
  expect(headers['cache-control']).toBe('private, no-store');
  expect(headers['x-robots-tag']).toBe('noindex');
  expect(headers['x-frame-options']).toBe('DENY');
  const policy = headers['content-security-policy'] ?? '';
  for (const part of ["connect-src 'self'", "form-action 'none'", "frame-ancestors 'none'", "img-src 'self'"])
    expect(policy.split('; ')).toContain(part);
  expect(policy).not.toMatch(/https?:/);

  const message = 'This token gives no access.';
  const answers = [];
  for (const token of ['wrong', 'token-of-old', 'naïve', desk.endpoints.adminToken]) {
    await getToken(page).fill(token);
    await page.getByRole('textbox', { name: 'Email', exact: true }).fill(user.email);
    await page.getByLabel('Reason', { exact: true }).fill(REASON);
    await page.getByRole('button', { name: 'Look up' }).click();
    await expect(getAlert(page)).toContainText(message);
    answers.push(await getAlert(page).textContent());
    await expect(getToken(page)).toHaveValue(token);
  }
  expect(new Set(answers).size).toBe(1);
  await expectNoViolations(page, 'a refused token');

  await getToken(page).fill('token-of-ada');
  await lookUp(page, 'Email', user.email);
  desk.write({ bo: createOperator('bo', ['read']) });
  await page.getByLabel('Reason for the action').fill('Ticket 4712');
  await page.getByLabel('Action', { exact: true }).selectOption('Send a password reset');
  await page.getByRole('button', { name: 'Send a password reset' }).click();
  const refused = getAccount(page, user.email).getByRole('alert');
  await expect(refused).toContainText(message);
  await expect(page.getByLabel('Reason for the action')).toHaveValue('Ticket 4712');
  // A token that may only read says so.
  await getToken(page).fill('token-of-bo');
  await page.getByRole('button', { name: 'Send a password reset' }).click();
  await expect(refused).toHaveText('This token does not allow the action send-reset.');

  const kept = await page.evaluate(() =>
    JSON.stringify([document.cookie, { ...localStorage }, { ...sessionStorage }, location.href, history.state]),
  );
  for (const text of [kept, ...addresses]) expect(text).not.toContain('token-of');
  expect(addresses.filter((address) => !address.startsWith(desk.endpoints.appOrigin))).toEqual([]);
  await page.reload();
  await expect(getToken(page)).toHaveValue('');
  await expect(getCount(page)).toHaveCount(0);
});

test('the limit says when to try again', async ({ page, desk, user }) => {
  await openDesk(page, desk);
  await page.route('**/api/admin/accounts?*', (route) =>
    route.fulfill({
      status: 429,
      headers: { 'retry-after': '600' },
      json: { type: 'urn:problem:too-many-requests', code: 'too-many-requests', title: '', status: 429 },
    }),
  );
  await page.getByRole('textbox', { name: 'Email', exact: true }).fill(user.email);
  await page.getByLabel('Reason', { exact: true }).fill(REASON);
  await page.getByRole('button', { name: 'Look up' }).click();
  await expect(getAlert(page)).toHaveText(
    /You have reached the limit, so nothing was done\.Try again at .*\d\d:\d\d:\d\d UTC\./,
  );
});

test('without operators there is no page', async ({ page, endpoints }) => {
  const response = await page.goto(`${endpoints.appOrigin}/support`);
  expect(response?.status()).toBe(404);
  await expect(page.getByRole('heading', { level: 1 })).not.toHaveText('Support desk');
});
