import { expect, it } from 'vitest';
import { presentUser } from './change-password';

it.each([[null], [{ email: null }]])('needs somebody with an address: %o', (currentUser) => {
  expect(() => presentUser({ currentUser: currentUser as never })).toThrow('No user present!');
});
