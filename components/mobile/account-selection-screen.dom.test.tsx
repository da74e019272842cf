import { cleanup, screen } from '@testing-library/react';
import { renderToString } from 'react-dom/server';
import { afterEach, expect, it } from 'vitest';
import { PublicEnvProvider } from '@/lib/browser/config/context';
import { writeCookie } from '@/lib/browser/cookies';
import { getPublicEnv, parseEnv } from '@/lib/server/runtime/config/env';
import { renderAtOrigin, withTexts } from '@/tests/support/render';
import { AccountSelectionScreen } from './account-selection-screen';

const env = getPublicEnv(parseEnv({ FIREBASE_AUTH_EMULATOR_HOST: '127.0.0.1:9' }));
const { mobileScheme, mainDomain } = env;
const APP = `${mobileScheme}://oauth-callback?state=1`;
afterEach(cleanup);

it.each([
  ['1', APP, APP],
  ['1', 'http://localhost:3001/a', null],
  ['', APP, null],
])('without a request, signed in: %j, callback %s: the app is opened at %s', (loggedIn, callback, link) => {
  writeCookie('loggedIn', loggedIn, mainDomain);
  writeCookie('callbackUrl', callback, mainDomain);
  renderAtOrigin(['password'], <AccountSelectionScreen selection={null} />);
  expect(screen.queryByRole('link', { name: 'Open the app' })?.getAttribute('href') ?? null).toBe(link);
  expect(screen.queryByText(/^This page has expired/) === null).toBe(link !== null);
});

it('the server, which does not know the callback, does not say that the page has expired', () => {
  const html = renderToString(
    withTexts(
      <PublicEnvProvider value={env}>
        <AccountSelectionScreen selection={null} />
      </PublicEnvProvider>,
    ),
  );
  expect(html).toContain('<h1>');
  expect(html).not.toContain('This page has expired');
});
