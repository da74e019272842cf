// Threats: stale-tab
import { expect, it } from 'vitest';
import { isOtherAccount } from '../request-headers';

it.each([
  [undefined, null, false],
  [undefined, 'one', false],
  ['one', null, false],
  ['', null, false],
  ['one', 'one', false],
  ['one', 'two', true],
  ['', 'two', true],
  ['two', 'TWO', true],
  ['one, one', 'one', true],
])('page of %s, session of %s: refused %s', (named, signedIn, refused) => {
  expect(isOtherAccount(named, signedIn)).toBe(refused);
});
