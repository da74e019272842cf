import { cleanup, screen } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { AppConfigProvider, PublicEnvProvider } from '@/lib/browser/config/context';
import { getPublicEnv, parseEnv } from '@/lib/server/runtime/config/env';
import type { PageConfig } from '@/lib/shared/config/app-config';
import { renderWithTexts } from '@/tests/support/render';
import { SignInScreen } from './sign-in-screen';

vi.mock('next/router', () => ({ default: {}, useRouter: () => ({ push: () => Promise.resolve(true) }) }));
afterEach(cleanup);

const env = getPublicEnv(parseEnv({ FIREBASE_AUTH_EMULATOR_HOST: '127.0.0.1:9' }));
const show = (enabledIdentities: PageConfig['enabledIdentities'], element: React.ReactElement) =>
  renderWithTexts(
    <PublicEnvProvider value={env}>
      <AppConfigProvider value={{ enabledIdentities }}>{element}</AppConfigProvider>
    </PublicEnvProvider>,
  );

it.each([
  [['password'], true],
  [['google.com'], true],
  [['enterprise'], false],
] as const)('/sign-in of an origin with %j leads to a new account: %s', (enabled, isLed) => {
  show([...enabled], <SignInScreen />);
  expect(screen.queryByRole('link', { name: 'Create an account' }) !== null).toBe(isLed);
});

it.each([
  [['password'], false],
  [['google.com', 'enterprise'], false],
  [['enterprise'], true],
] as const)('of an origin with %j the other ways are open: %s', (enabled, isOpen) => {
  show([...enabled], <SignInScreen />);
  expect(document.querySelector('details')?.open).toBe(isOpen);
});
