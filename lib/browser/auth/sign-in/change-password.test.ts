import { expect, it } from 'vitest';
import { getCurrentUser } from '../../account/change-password';

it('returns a user with an email', () => {
  expect(getCurrentUser({ email: 'lena@campus.test' })).toEqual({ email: 'lena@campus.test' });
});

it.each([[null], [{ email: null }], [{ email: '' }]])('requires a user with an email: %o', (user) => {
  expect(() => getCurrentUser(user)).toThrow('No user present!');
});
