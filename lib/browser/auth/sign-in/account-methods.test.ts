import type { User } from 'firebase/auth';
import { expect, it } from 'vitest';
import { requireUser } from '../../account/account-methods';

it('returns the current user, and rejects with the message of the specification if there is none', () => {
  const currentUser = { uid: 'uid-1' } as User;
  expect(requireUser({ currentUser })).toBe(currentUser);
  expect(() => requireUser({ currentUser: null })).toThrow('No user logged in!');
});
