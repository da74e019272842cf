import { expect, it } from 'vitest';
import { getCurrentUser } from '../../account/change-password';

it.each([[null], [{ email: null }], [{ email: '' }]])('requires a user with an email: %o', (person) => {
  expect(() => getCurrentUser(person)).toThrow('No user present!');
});
