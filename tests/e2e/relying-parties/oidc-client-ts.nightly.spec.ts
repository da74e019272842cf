// Threats: foreign-client
import { hasNginx } from '../../../scripts/lib/nginx.mjs';
import { expect, test } from '../../support/fixtures';
import { startIssuer } from '../../support/relying-parties/issuer';
import {
  expectStillSignedIn,
  expectRefused,
  signInSilently,
  signInToWanted,
  signOutAtParty,
  signOutWithoutNotice,
  NAME,
} from '../../support/relying-parties/journey';
import { oidcClientTs } from '../../support/relying-parties/parties';

test.use({ ignoreHTTPSErrors: true });
test.skip(!hasNginx(), 'apt-get install nginx-light');

test('oidc-client-ts', async ({ page, endpoints, accounts }) => {
  test.slow();
  const user = await accounts.create({ name: NAME });
  const issuer = await startIssuer(endpoints, [oidcClientTs]);
  const [site] = issuer.sites;
  if (!site) throw new Error('One was started');
  try {
    await test.step('sign-in to the page wanted', () => signInToWanted(page, site, user));
    await test.step('silent sign-in', () => signInSilently(page, site, user));
    await test.step('a fresh access token by the refresh token', async () => {
      await page.goto(`${site.origin}/renew`);
      await expect(page.locator('#answer')).toHaveText(`Renewed for ${user.uid}`);
    });
    await test.step('no access token in a frame, where no browser sends our cookie', async () => {
      await page.goto(`${site.origin}/renew-in-frame`);
      await expect(page.locator('#answer')).toHaveText('login_required');
    });
    await test.step('sign-out there', async () => {
      await signOutAtParty(page, site);
      await expectRefused(page, site);
    });
    await test.step('sign-out here, without a notice to it', async () => {
      await signInToWanted(page, site, user);
      await signOutWithoutNotice(page, site);
      await expectStillSignedIn(page, site, user);
      // The relying party's tokens ended with the session.
      await page.goto(`${site.origin}/renew`);
      await expect(page.locator('#answer')).toHaveText('invalid_grant');
    });
  } finally {
    await issuer.stop();
  }
});
