import type { DecodedIdToken } from 'firebase-admin/auth';
import { describe, expect, test } from 'vitest';
import { SESSION } from '@/lib/shared/session-contract';
import { HANDOFF_CLAIM, getAuthenticationTime, getSessionEnd } from './tokens';

const NOW = 1_800_000_000;

function toDecoded(provider: string, exp: number, authenticatedAt?: number): DecodedIdToken {
  const claims =
    authenticatedAt === undefined ? {} : { [HANDOFF_CLAIM]: { proved_at: authenticatedAt, session: 'root' } };
  const firebase = { sign_in_provider: provider, identities: {} };
  return { uid: 'uid', sub: 'uid', iss: '', aud: '', iat: NOW, auth_time: NOW, exp, firebase, ...claims };
}

describe('a session created from another one', () => {
  test.each([
    ['ends with what that one had left', 'custom', NOW + SESSION.length, NOW - 60, NOW - 60 + SESSION.length],
    ['ends sooner when its cookie does', 'custom', NOW + 300, NOW - 60, NOW + 300],
    ['is over when its proof is too old', 'custom', NOW + 300, NOW - SESSION.length, NOW],
    ['is an ordinary one without our claims', 'custom', NOW + 300, undefined, NOW + 300],
    ['believes no account claims', 'password', NOW + SESSION.length, NOW - 60, NOW + SESSION.length],
  ])('%s', (_what, provider, exp, authenticatedAt, end) => {
    expect(getSessionEnd(toDecoded(provider, exp, authenticatedAt))).toBe(end);
  });

  test('has the authentication time of the original session, and none after its own sign-in', () => {
    expect(getAuthenticationTime(toDecoded('custom', NOW + 300, NOW - 60))).toBe(NOW - 60);
    expect(getAuthenticationTime(toDecoded('custom', NOW + 300, NOW + 60))).toBe(NOW);
    expect(getAuthenticationTime(toDecoded('password', NOW + 300, NOW - 60))).toBe(NOW);
  });
});
