// Threats: foreign-client
import { hasNginx } from '../../../scripts/lib/nginx.mjs';
import { hasAuthlib } from '../../../scripts/lib/test-tools.mjs';
import { test } from '../../support/fixtures';
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
import { authlib } from '../../support/relying-parties/parties';

test.use({ ignoreHTTPSErrors: true });
test.skip(!hasAuthlib() || !hasNginx(), 'apt-get install nginx-light python3-django python3-authlib python3-requests');

test('Authlib in Django', async ({ page, endpoints, accounts }) => {
  test.slow();
  const user = await accounts.create({ name: NAME });
  const issuer = await startIssuer(endpoints, [authlib]);
  const [site] = issuer.sites;
  if (!site) throw new Error('One was started');
  try {
    await test.step('sign-in to the page wanted', () => signInToWanted(page, site, user));
    await test.step('silent sign-in', () => signInSilently(page, site, user));
    await test.step('sign-out there', async () => {
      await signOutAtParty(page, site);
      await expectRefused(page, site);
    });
    await test.step('sign-out here, without a notice to it', async () => {
      await signInToWanted(page, site, user);
      await signOutWithoutNotice(page, site);
      await expectStillSignedIn(page, site, user);
    });
  } finally {
    await issuer.stop();
  }
});
