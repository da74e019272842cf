import { cleanup, screen } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { renderAtOrigin } from '@/tests/support/render';
import { SignInScreen } from './sign-in-screen';

vi.mock('next/router', () => ({ default: {}, useRouter: () => ({ push: () => Promise.resolve(true) }) }));
afterEach(cleanup);

it.each([
  [['password'], true],
  [['google.com'], true],
  [['enterprise'], false],
] as const)('/sign-in of an origin with %j leads to a new account: %s', (enabled, isLed) => {
  renderAtOrigin([...enabled], <SignInScreen />);
  expect(screen.queryByRole('link', { name: 'Create an account' }) !== null).toBe(isLed);
});

it.each([
  [['password'], false],
  [['google.com', 'enterprise'], false],
  [['enterprise'], true],
] as const)('of an origin with %j the other ways are open: %s', (enabled, isOpen) => {
  renderAtOrigin([...enabled], <SignInScreen />);
  expect(document.querySelector('details')?.open).toBe(isOpen);
});
