import { expect, test } from 'vitest';
import { checkTokenAge } from './token-age';

const now = Date.parse('2026-05-01T12:00:00Z');
const issued = (secondsAgo: number) => now / 1000 - secondsAgo;

test.each([0, 1, 1_199, 1_200])('a token of %i s opens a session', (age) => {
  expect(() => checkTokenAge(issued(age), now)).not.toThrow();
});

test.each([1_201, 3_600, 86_400])('a token of %i s is too old', (age) => {
  expect(() => checkTokenAge(issued(age), now)).toThrow(
    expect.objectContaining({ code: 'token-too-old', status: 401 }),
  );
});
