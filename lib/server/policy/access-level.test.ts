import { expect, test } from 'vitest';
import { getAccessLevel } from './access-level';

test.each([
  [{ accessLevel: 'teacher' }, 'teacher'],
  [{}, 'standard'],
  [undefined, 'standard'],
  [{ accessLevel: 7 }, 'standard'],
  [{ accessLevel: '' }, 'standard'],
  [{ accessLevel: 'a; Domain=evil.example' }, 'standard'],
])('the access level of %j is %s', (claims, level) => {
  expect(getAccessLevel(claims)).toBe(level);
});
