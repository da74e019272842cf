import { expect, test } from '../support/fixtures';
import { submitSignIn } from '../support/journeys';

test('a password manager finds where to change the password, also when it must sign in first', async ({
  page,
  endpoints,
  request,
  user,
}) => {
  const address = `${endpoints.appOrigin}/.well-known/change-password`;
  const answer = await request.get(address, { maxRedirects: 0 });
  expect([answer.status(), answer.headers().location]).toEqual([303, '/security']);
  expect(answer.headers()['cache-control']).toBe('no-store');
  await page.goto(address);
  await submitSignIn(page, user);
  await expect(page).toHaveURL(`${endpoints.appOrigin}/security`);
  await expect(page.getByRole('link', { name: 'Change your password' })).toBeVisible();
});

test('a password manager finds where passkeys are added, also when it must sign in first', async ({
  page,
  endpoints,
  request,
  user,
}) => {
  const answer = await request.get(`${endpoints.appOrigin}/.well-known/passkey-endpoints`, { maxRedirects: 0 });
  expect([answer.status(), answer.headers()['content-type']]).toEqual([200, 'application/json']);
  const { enroll, manage } = (await answer.json()) as Record<'enroll' | 'manage', string>;
  expect([new URL(enroll).origin, manage]).toEqual([endpoints.appOrigin, enroll]);
  await page.goto(enroll);
  await submitSignIn(page, user);
  await expect(page.getByRole('button', { name: 'Add a passkey' })).toBeVisible();
});

// A Well-Known URL for Changing Passwords, section 4: whether status codes of this host can be relied upon.
test('a well-known resource that does not exist is not found', async ({ endpoints, request }) => {
  const path = '/.well-known/resource-that-should-not-exist-whose-status-code-should-not-be-200';
  for (const name of [path, '/.well-known/', '/.well-known/security.txt/x', '/.well-known/change-password/x'])
    expect((await request.get(endpoints.appOrigin + name)).status(), name).toBe(404);
});
