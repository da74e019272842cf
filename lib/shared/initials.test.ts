import { expect, it } from 'vitest';
import { getInitials } from './initials';

it.each([
  ['Lena Learner', 'L\u200cL'],
  ['  ana maria  de lima ', 'A\u200cL'],
  ['王芳', '王'],
  ['محمد علي', 'م\u200cع'],
  ['𠮷田 花子', '𠮷\u200c花'],
  ['lena.learner@campus.test', 'L'],
  ['', ''],
])('the initials of %j are %j', (name, initials) => {
  expect(getInitials(name)).toBe(initials);
});
