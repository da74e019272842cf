import { expect, it } from 'vitest';
import { requireUser } from '../../account/account-methods';

it('rejects linking without a user, with the message of the specification', () => {
  expect(() => requireUser({ currentUser: null })).toThrow('No user logged in!');
});
