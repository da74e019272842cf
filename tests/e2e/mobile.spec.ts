// ASVS: 10.7.1, 10.7.2
// Threats: mobile-code
import { beginSignIn, codeFrom, exchangeCode, signInWithCustomToken } from '../../examples/mobile/client.mjs';
import { expect, test } from '../support/fixtures';
import { signIn } from '../support/journeys';
import { getCallback, installApp } from '../support/mobile-journeys';

test.beforeEach(({ page }) => installApp(page));

test('the app signs in with the account that is signed in', async ({ page, endpoints, user }) => {
  await signIn(page, endpoints, user);
  const begun = beginSignIn(endpoints);
  await page.goto(begun.address);
  await expect(page).toHaveURL(`${endpoints.appOrigin}/mobile/account-selection`);
  await page.getByRole('button', { name: `Continue as ${user.name}` }).click();
  const callback = await getCallback(page);
  const customToken = await exchangeCode({ ...endpoints, code: codeFrom(callback, begun), verifier: begun.verifier });
  const idToken = await signInWithCustomToken({ ...endpoints, customToken });
  const { user_id: uid } = JSON.parse(Buffer.from(idToken.split('.')[1] ?? '', 'base64url').toString()) as {
    user_id: string;
  };
  expect(uid).toBe(user.uid);
});
