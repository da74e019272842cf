import { expect, it } from 'vitest';
import { getRequestId } from './request-id';

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

it.each(['0d6a1c50-8b0e-4a2c-9f5d-0a4f4c7e1b2d', '5f1c9b0e3a7d4c2e8f6b1a0d9c3e7f52', 'abcdefgh', 'A_b-'.repeat(16)])(
  'accepts %s from our own proxy alone',
  (sent) => {
    expect(getRequestId(sent, true)).toBe(sent);
    expect(getRequestId(sent, false)).toMatch(UUID);
  },
);

it.each([
  undefined,
  null,
  '',
  'short',
  'a'.repeat(65),
  'a b c d e f',
  'abcdefgh\n',
  'abcdefgh,abcdefgh',
  '"}{"level":60',
  'lena@campus.test',
  'é'.repeat(9),
  '<script>x</script>',
])('makes an id instead of %j', (sent) => {
  expect(getRequestId(sent, true)).toMatch(UUID);
});
