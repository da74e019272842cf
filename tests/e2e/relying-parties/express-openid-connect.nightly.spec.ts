// Threats: foreign-client
import { hasNginx } from '../../../scripts/lib/nginx.mjs';
import { test } from '../../support/fixtures';
import { startIssuer } from '../../support/relying-parties/issuer';
import {
  expectSignedOut,
  expectRefused,
  signInSilently,
  signInToWanted,
  signOutAtParty,
  signOutAtProvider,
  NAME,
} from '../../support/relying-parties/journey';
import { expressOpenidConnect } from '../../support/relying-parties/parties';

test.use({ ignoreHTTPSErrors: true });
test.skip(!hasNginx(), 'apt-get install nginx-light');

test('express-openid-connect', async ({ page, endpoints, accounts }) => {
  test.slow();
  const user = await accounts.create({ name: NAME });
  const issuer = await startIssuer(endpoints, [expressOpenidConnect]);
  const [site] = issuer.sites;
  if (!site) throw new Error('One was started');
  try {
    await test.step('sign-in to the page wanted', () => signInToWanted(page, site, user));
    await test.step('silent sign-in', () => signInSilently(page, site, user));
    await test.step('sign-out there', async () => {
      await signOutAtParty(page, site);
      await expectRefused(page, site);
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
