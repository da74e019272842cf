import { expect, it } from 'vitest';
import { isFactorFailure, isProofMissing, toFactorFailure } from './api';

const refused = { ok: false, status: 400, retryAfter: 30, triesLeft: 2 } as const;

it.each([
  ['code-wrong', 'code-wrong'],
  ['factor-limit', 'factor-limit'],
  ['token-too-old', 'recent-login-required'],
  ['session-required', 'unknown'],
  ['unreadable', 'unknown'],
] as const)('a call that is refused with %s: %s', (code, factor) => {
  expect(toFactorFailure({ ...refused, code })).toEqual({ factor, retryAfter: 30, triesLeft: 2 });
});

it('knows failures for which the user has to prove themselves again', () => {
  expect(isProofMissing(toFactorFailure({ ...refused, code: 'second-factor-required' }))).toBe(true);
  expect(isProofMissing(toFactorFailure({ ...refused, code: 'code-wrong' }))).toBe(false);
});

it('tells its failures from the codes of others', () => {
  expect(isFactorFailure(toFactorFailure({ ...refused, code: 'network' }))).toBe(true);
  expect([isFactorFailure('network'), isFactorFailure(null)]).toEqual([false, false]);
});
