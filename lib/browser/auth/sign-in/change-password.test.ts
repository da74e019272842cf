import { expect, it } from 'vitest';
import { getCurrentUser } from '../../account/change-password';

it.each([[null], [{ email: null }], [{ email: '' }]])('needs a person with an address: %o', (person) => {
  expect(() => getCurrentUser(person)).toThrow('No user present!');
});
