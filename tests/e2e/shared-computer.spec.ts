import { expect, test } from '../support/fixtures';
import { UNTIL_CLOSED, signInShared, getExpiry, kept } from '../support/shared-computer';

test('the sign-in ends with the browser, and leaves no hint', async ({ page, context, endpoints, user }) => {
  await signInShared(page, endpoints, user);
  for (const name of ['_secure-user-session', 'kk_logged_in', 'kk_uid', 'shared-computer'])
    expect(await getExpiry(context, name)).toBe(UNTIL_CLOSED);
  await page.goto(`${endpoints.appOrigin}/app-shell`);
  await expect(page.getByRole('button', { name: 'Sign out' })).toBeVisible();
  const traces = await kept(page);
  expect(traces).not.toContain(user.email);
  expect(traces).not.toContain(user.uid);
  expect(traces).not.toContain('last-sign-in-method');
});
