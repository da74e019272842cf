import type { Page } from '@playwright/test';
import { expect, test } from '../support/fixtures';
import { getSignInUrl, submitSignIn } from '../support/journeys';

/** Returns the error code that the identity provider returned to its SDK. Each code is triggered by its real cause. */
async function getCode(page: Page, act: () => Promise<void>): Promise<string> {
  const answer = page.waitForResponse(/accounts:signInWithPassword/);
  await act();
  const { error } = (await (await answer).json()) as { error: { message: string } };
  return error.message;
}

test('auth/user-not-found, auth/wrong-password and auth/user-disabled look alike', async ({
  page,
  endpoints,
  user,
  accounts,
}) => {
  const disabled = await accounts.create({ disabled: true });
  const tries = [
    ['EMAIL_NOT_FOUND', { email: 'unknown@campus.test', password: 'whatever-9' }],
    ['INVALID_PASSWORD', { email: user.email, password: 'not-my-password' }],
    ['USER_DISABLED', disabled],
  ] as const;
  const texts: (string | null)[] = [];
  for (const [code, who] of tries) {
    await page.goto(getSignInUrl(endpoints));
    expect(await getCode(page, () => submitSignIn(page, who))).toBe(code);
    const alert = page.getByRole('alert').filter({ hasText: 'Incorrect email or password' });
    await expect(alert).toBeVisible();
    texts.push(await alert.textContent());
  }
  expect(new Set(texts).size).toBe(1);
});
