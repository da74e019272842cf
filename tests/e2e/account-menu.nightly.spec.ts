import { expectNoViolations } from '../support/axe';
import { expect, test } from '../support/fixtures';
import { expectSignInPage, signIn } from '../support/journeys';
import { signInShared } from '../support/shared-computer';

test('the account menu says who is signed in, and leads to the account and to another one', async ({
  page,
  endpoints,
  user,
}) => {
  await signIn(page, endpoints, user);
  await page.goto(`${endpoints.appOrigin}/user/courses`);
  const menu = page.getByRole('button', { name: `Account menu ${user.name}` });
  const switchAccount = page.getByRole('button', { name: 'Switch account' });
  await expect(menu).toHaveAttribute('aria-expanded', 'false');
  await menu.press('Enter');
  await expect(menu).toHaveAttribute('aria-expanded', 'true');
  await expect(page.getByRole('banner').getByText(user.email)).toBeVisible();
  await expectNoViolations(page, 'open menu');
  await page.keyboard.press('Tab');
  await expect(page.getByRole('banner').getByRole('link', { name: 'Account' }).last()).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(menu).toBeFocused();
  await expect(switchAccount).toHaveCount(0);

  await menu.click();
  await expect(switchAccount).toBeVisible();
  await page.getByRole('heading', { level: 1 }).click();
  await expect(switchAccount).toHaveCount(0);

  // The focus leaves the menu.
  await menu.click();
  await switchAccount.focus();
  await page.keyboard.press('Tab');
  await expect(switchAccount).toHaveCount(0);

  await menu.click();
  await page.getByRole('banner').getByRole('link', { name: 'Account' }).last().click();
  await expect(page).toHaveURL(`${endpoints.appOrigin}/security`);

  await menu.click();
  await switchAccount.click();
  await expectSignInPage(page, endpoints);
  await expect(page.getByText("You're signed out.")).toBeVisible();
});

test('a shared computer remembers no account, so its menu switches to none', async ({ page, endpoints, user }) => {
  await signInShared(page, endpoints, user);
  await page.goto(`${endpoints.appOrigin}/app-shell`);
  await page.getByRole('button', { name: `Account menu ${user.name}` }).click();
  await expect(page.getByRole('banner').getByText(user.email)).toBeVisible();
  await expect(page.getByRole('button', { name: 'Switch account' })).toHaveCount(0);
});
