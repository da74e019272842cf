import { expect, it } from 'vitest';
import { parseSession } from './api';

const session = {
  uid: 'u',
  email: null,
  displayName: null,
  photoURL: null,
  expiresAt: '2030-01-06T00:00:00Z',
  refreshAfter: '2030-01-02T00:00:00Z',
};

it('accepts a session with status 200', () => {
  const answer = { ok: true, status: 200, data: session } as const;
  expect(parseSession(answer)).toEqual(answer);
});

it.each([
  ['another status', { ok: true, status: 203, data: session }],
  ['no body', { ok: true, status: 200, data: null }],
  ['a captive portal’s page', { ok: true, status: 200, data: 'Welcome to our network' }],
  ['half a session', { ok: true, status: 200, data: { uid: 'u' } }],
] as const)('does not end the session on %s', (_what, answer) => {
  expect(parseSession(answer)).toMatchObject({ ok: false, code: 'unreadable' });
});

it('returns a refusal unchanged', () => {
  const refusal = { ok: false, code: 'session-required', status: 401, retryAfter: null, triesLeft: null } as const;
  expect(parseSession(refusal)).toBe(refusal);
});
