// Threats: forged-passkey, planted-passkey
import { addAuthenticator } from '../support/authenticator';
import { test } from '../support/fixtures';
import { expectDashboard, getDashboardUrl } from '../support/journeys';
import { createPasskey } from '../support/passkey-journeys';

test('a passkey in the autofill of the email field signs in', async ({ page, endpoints, user }) => {
  const authenticator = await addAuthenticator(page);
  await authenticator.add((await createPasskey(endpoints, user)).key);
  // The virtual authenticator chooses immediately, as a learner does in the field's list.
  await page.goto(getDashboardUrl(endpoints));
  await expectDashboard(page, endpoints, user);
});
