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
  const [place] = issuer.places;
  if (!place) throw new Error('One was started');
  try {
    await test.step('sign-in to the page wanted', () => signInToWanted(page, place, user));
    await test.step('silent sign-in', () => signInSilently(page, place, user));
    await test.step('sign-out there', async () => {
      await signOutAtParty(page, place);
      await expectRefused(page, place);
    });
    await test.step('sign-out here, by the back channel', async () => {
      await signInToWanted(page, place, user);
      await signOutAtProvider(page, place);
      await expectSignedOut(page, place);
    });
  } finally {
    await issuer.stop();
  }
});
