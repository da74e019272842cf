import type { Page } from '@playwright/test';
import { expect, test } from '../support/fixtures';
import { signInPageOf, submitSignIn } from '../support/journeys';

/** Codes of the catalogue that the sign-in form can meet; those of other screens stand in the tests of their screens. */

const said = (page: Page, text: string) => expect(page.getByRole('alert').filter({ hasText: text })).toBeVisible();

/** The code that the identity provider gave, as its SDK calls it: each is produced for its own reason. */
async function codeOf(page: Page, act: () => Promise<void>): Promise<string> {
  const answer = page.waitForResponse(/accounts:signInWithPassword/);
  await act();
  const { error } = (await (await answer).json()) as { error: { message: string } };
  return error.message;
}

test('auth/user-not-found, auth/wrong-password and auth/user-disabled look alike', async ({
  page,
  places,
  person,
  people,
}) => {
  const disabled = await people.create({ disabled: true });
  const tries = [
    ['EMAIL_NOT_FOUND', { email: 'nobody@campus.test', password: 'whatever-9' }],
    ['INVALID_PASSWORD', { email: person.email, password: 'not-my-password' }],
    ['USER_DISABLED', disabled],
  ] as const;
  const texts: (string | null)[] = [];
  for (const [code, who] of tries) {
    await page.goto(signInPageOf(places));
    expect(await codeOf(page, () => submitSignIn(page, who))).toBe(code);
    const alert = page.getByRole('alert').filter({ hasText: 'do not match' });
    await expect(alert).toBeVisible();
    texts.push(await alert.textContent());
  }
  expect(new Set(texts).size).toBe(1);
});

// Answers that the identity provider documents; the emulator has neither its limit nor its policy.
for (const [code, message, text] of [
  ['auth/too-many-requests', 'TOO_MANY_ATTEMPTS_TRY_LATER', 'There were too many tries'],
  [
    'auth/password-does-not-meet-requirements',
    'PASSWORD_DOES_NOT_MEET_REQUIREMENTS : Missing password requirements: [Password must contain a numeric character]',
    'Your password no longer meets the rules here.',
  ],
] as const)
  test(`${code} is said`, async ({ page, places, person }) => {
    await page.route(/accounts:signInWithPassword/, (route) =>
      route.fulfill({ status: 400, json: { error: { code: 400, message, errors: [{ message }] } } }),
    );
    await page.goto(signInPageOf(places));
    await submitSignIn(page, person);
    await said(page, text);
  });

test('auth/network-request-failed is said, and what was typed stays', async ({ page, places, person }) => {
  await page.route(/accounts:signInWithPassword/, (route) => route.abort());
  await page.goto(signInPageOf(places));
  await submitSignIn(page, person);
  await said(page, 'We could not reach the sign-in service');
  await expect(page.getByLabel('Email', { exact: true })).toHaveValue(person.email);
});

test('auth/popup-blocked is said where a redirect would lose what is being done', async ({ page, places }) => {
  await page.addInitScript(() => {
    if (window.location.pathname === '/security') window.open = () => null;
  });
  await page.goto(`${places.appOrigin}/security`);
  const popup = page.waitForEvent('popup');
  await page.getByRole('button', { name: 'Continue with Google' }).click();
  const provider = await popup;
  await provider.getByText('Add new account').click();
  await provider.locator('#email-input').fill(`blocked-${Date.now()}@campus.test`);
  await provider.locator('#sign-in').click();
  // Its scripts are at work.
  await expect(page.getByRole('button', { name: 'Sign out', exact: true })).toBeVisible();
  await page.getByRole('button', { name: 'Connect GitHub' }).click();
  await page.getByRole('button', { name: 'Continue with Google' }).click();
  await said(page, 'Your browser blocked the sign-in window');
});
