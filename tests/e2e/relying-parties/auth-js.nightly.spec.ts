// Threats: foreign-client
import { hasNginx } from '../../../scripts/lib/nginx.mjs';
import { expect, test } from '../../support/fixtures';
import { startIssuer } from '../../support/relying-parties/issuer';
import {
  expectStillSignedIn,
  signInSilently,
  signInToWanted,
  signOutAtParty,
  signOutWithoutNotice,
  NAME,
} from '../../support/relying-parties/journey';
import { authJs } from '../../support/relying-parties/parties';
const BUTTON = 'Sign in with Campus';

test.use({ ignoreHTTPSErrors: true });
test.skip(!hasNginx(), 'apt-get install nginx-light');

test('Auth.js in Express', async ({ page, endpoints, accounts }) => {
  test.slow();
  const user = await accounts.create({ name: NAME });
  const issuer = await startIssuer(endpoints, [authJs]);
  const [site] = issuer.sites;
  if (!site) throw new Error('One was started');
  try {
    await test.step('sign-in to the page wanted', () => signInToWanted(page, site, user, BUTTON));
    await test.step('silent sign-in', () => signInSilently(page, site, user));
    await test.step('sign-out there', async () => {
      await signOutAtParty(page, site);
      await page.goto(`${site.origin}/silent`);
      // Auth.js shows all errors on its own page.
      await expect(page.getByText('Try signing in with a different account.')).toBeVisible();
    });
    await test.step('sign-out here, without a notice to it', async () => {
      await signInToWanted(page, site, user, BUTTON);
      await signOutWithoutNotice(page, site);
      await expectStillSignedIn(page, site, user);
    });
  } finally {
    await issuer.stop();
  }
});
