import { expect, it } from 'vitest';
import type { CallFailure } from '../api-client';
import { getSignInEnd } from './sign-in';

const refused = (code: CallFailure['code'], status: number, triesLeft: number | null = null): CallFailure => {
  return { ok: false, code, status, retryAfter: null, triesLeft };
};

it.each([
  [refused('code-locked', 410), 'locked'],
  [refused('code-wrong', 400, 0), 'locked'],
  [refused('sign-in-expired', 410), 'expired'],
  [refused('user-disabled', 401), 'refused'],
  [refused('code-wrong', 400, 1), null],
  [refused('code-used', 410), null],
  [refused('too-many-requests', 429), null],
  [refused('records-unavailable', 503), null],
  [refused('network', 0), null],
])('%j: %s', (failure, end) => {
  expect(getSignInEnd(failure)).toBe(end);
});
