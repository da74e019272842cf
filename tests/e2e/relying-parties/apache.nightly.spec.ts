// Threats: foreign-client
import { hasNginx } from '../../../scripts/lib/nginx.mjs';
import { hasApache } from '../../../scripts/lib/test-tools.mjs';
import { test } from '../../support/fixtures';
import { startIssuer } from '../../support/relying-parties/issuer';
import {
  expectSignedOut,
  signInSilently,
  signInToWanted,
  signOutAtParty,
  signOutAtProvider,
  NAME,
} from '../../support/relying-parties/journey';
import { apache } from '../../support/relying-parties/apache';

test.use({ ignoreHTTPSErrors: true });
test.skip(!hasApache() || !hasNginx(), 'apt-get install nginx-light apache2 libapache2-mod-auth-openidc');

test('Apache with mod_auth_openidc', async ({ page, endpoints, accounts }) => {
  test.slow();
  const user = await accounts.create({ name: NAME });
  const issuer = await startIssuer(endpoints, [apache]);
  const [site] = issuer.sites;
  if (!site) throw new Error('One was started');
  try {
    await test.step('sign-in to the page wanted', () => signInToWanted(page, site, user));
    await test.step('silent sign-in', () => signInSilently(page, site, user));
    await test.step('sign-out there', async () => {
      await signOutAtParty(page, site);
      // mod_auth_openidc mistakes the error, which names the issuer, for a sign-in that the provider begins. So it asks
      // for a sign-in.
      await page.goto(`${site.origin}/silent`);
      await page.waitForURL(`${site.appOrigin}/sign-in**`);
    });
    await test.step('sign-out here, by the back channel', async () => {
      await signInToWanted(page, site, user);
      await signOutAtProvider(page, site);
      await expectSignedOut(page, site);
    });
  } finally {
    await issuer.stop();
  }
});
