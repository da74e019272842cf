import { expect, it } from 'vitest';
import { requireUser } from '../../account/account-methods';

it('links nothing to nobody, in the words of the specification', () => {
  expect(() => requireUser({ currentUser: null })).toThrow('No user logged in!');
});
