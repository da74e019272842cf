import { expect, it } from 'vitest';
import { isDropped } from './drop-rules';

it.each([
  ['ReferenceError', "Can't find variable: gmo", true],
  ['Error', "Can't find variable: gmo", true],
  ['TypeError', "Can't find variable: gmo", false],
  ['ReferenceError', "Can't find variable: other", false],
  ['FirebaseError', 'Firebase: Error (auth/network-request-failed).', true],
  ['Error', 'auth/network-request-failed', true],
  ['TypeError', 'auth/network-request-failed', false],
  ['FirebaseError', 'Firebase: Error (auth/internal-error).', false],
  ['TypeError', "null is not an object (evaluating 'e.uid')", true],
  ['TypeError', "null is not an object (evaluating 'e.user.id')", true],
  ['TypeError', "null is not an object (evaluating 't.userId')", true],
  ['TypeError', "null is not an object (evaluating 'e.name')", false],
  ['Error', "null is not an object (evaluating 'e.uid')", false],
])('%s %s: dropped is %s', (type, message, dropped) => {
  expect(isDropped({ type, message })).toBe(dropped);
});
