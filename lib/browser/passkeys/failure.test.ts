import { expect, it } from 'vitest';
import { toDialogFailure, toPasskeyFailure } from './failure';

it.each([
  ['NotAllowedError', 2_000, 'cancelled'],
  ['NotAllowedError', 290_000, 'timed-out'],
  ['AbortError', 10, 'cancelled'],
  ['InvalidStateError', 10, 'passkey-exists'],
  ['SecurityError', 10, 'unsupported'],
  ['ConstraintError', 10, 'unsupported'],
  ['TypeError', 10, 'unknown'],
])('a dialog that ends with %s after %i ms: %s', (name, elapsedMs, failure) => {
  expect(toDialogFailure(new DOMException('', name), elapsedMs)).toBe(failure);
  // A password manager throws this.
  expect(toDialogFailure({ name }, elapsedMs)).toBe(failure);
});

it.each([
  ['passkey-suspect', 'passkey-suspect'],
  ['network', 'network'],
  ['second-factor-required', 'recent-login-required'],
  ['session-required', 'unknown'],
] as const)('a call that is refused with %s: %s', (code, failure) => {
  expect(toPasskeyFailure({ ok: false, code, status: 403, retryAfter: null, triesLeft: null })).toBe(failure);
});
