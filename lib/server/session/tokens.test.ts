import type { DecodedIdToken } from 'firebase-admin/auth';
import { describe, expect, test } from 'vitest';
import { SESSION } from '@/lib/shared/session-contract';
import { HANDOFF_CLAIM, readToken } from './tokens';

const NOW = 1_800_000_000;

const ROOT = '3c5f0b6e-6f0b-4f6e-9a3b-2d7f1f0c8a11';

function read(provider: string, claims: object, { exp = NOW + 300, ...more }: Partial<DecodedIdToken> = {}) {
  const firebase = { sign_in_provider: provider, identities: { 'saml.acme': ['pat'] } };
  const times = { iat: NOW, auth_time: NOW, exp };
  return readToken('jwt', { uid: 'uid', sub: 'uid', iss: '', aud: '', ...times, firebase, ...claims, ...more });
}

const handoff = (claims: object) => ({ [HANDOFF_CLAIM]: { proved_at: NOW - 60, session: ROOT, ...claims } });

describe('what a token of ours shows', () => {
  test.each([
    ['its root, and the id of its proof', 'custom', {}, { root: ROOT, proofId: ROOT, isDerived: false }],
    [
      'no id of a proof for the mobile app',
      'custom',
      { derived: true },
      { root: ROOT, proofId: null, isDerived: true },
    ],
    ['no id of a proof for a cookie', 'custom', { session: 'a-cookie' }, { root: 'a-cookie', proofId: null }],
    ['that it registers', 'custom', { registers: true }, { registers: true }],
    [
      'nothing by an account claim',
      'password',
      { registers: true, derived: true },
      { root: null, proofId: null, registers: false, isDerived: false },
    ],
    ['nothing by claims of another form', 'custom', { proved_at: 'now' }, { root: null, registers: false }],
    [
      'its own provider beside that of the session that it renews',
      'custom',
      { renews: 'saml.acme' },
      { signInProvider: 'custom', subject: 'pat' },
    ],
  ])('%s', (_what, provider, claims, shown) => {
    expect(read(provider, handoff(claims))).toMatchObject(shown);
  });

  test.each([
    [
      'how and when its user signed in',
      'custom',
      { method: 'email', factor: 'totp', renewed_at: NOW - 5 },
      { provider: 'custom', method: 'email', factor: 'totp', authenticatedAt: NOW - 60, renewedAt: NOW - 5 },
    ],
    ['the provider that it renews', 'custom', { renews: 'password' }, { provider: 'password' }],
    [
      'no later time than its own',
      'custom',
      { renewed_at: NOW + 5, proved_at: NOW + 60 },
      { authenticatedAt: NOW, renewedAt: NOW },
    ],
    [
      'no method or factor by an account claim',
      'password',
      { method: 'email', factor: 'totp', renewed_at: NOW, renews: 'saml.acme' },
      { provider: 'password', method: null, factor: null, authenticatedAt: NOW, renewedAt: null },
    ],
  ])('%s', (_what, provider, claims, signIn) => {
    expect(read(provider, handoff(claims)).signIn).toMatchObject(signIn);
  });

  test('its email in lower case, if it is a text', () => {
    expect(read('password', { email: 'Pat@Campus.test' }).signIn.email).toBe('pat@campus.test');
    expect(read('password', { email: 7 }).signIn.email).toBeNull();
  });
});

describe('a session created from another one', () => {
  test.each([
    ['ends with what that one had left', 'custom', NOW + SESSION.length, NOW - 60, NOW - 60 + SESSION.length],
    ['ends sooner when its cookie does', 'custom', NOW + 300, NOW - 60, NOW + 300],
    ['is over when its proof is too old', 'custom', NOW + 300, NOW - SESSION.length, NOW],
    ['is an ordinary one without our claims', 'custom', NOW + 300, undefined, NOW + 300],
    ['believes no account claims', 'password', NOW + SESSION.length, NOW - 60, NOW + SESSION.length],
  ])('%s', (_what, provider, exp, authenticatedAt, end) => {
    const claims = authenticatedAt === undefined ? {} : handoff({ proved_at: authenticatedAt });
    expect(read(provider, claims, { exp }).endsAt).toBe(end);
  });
});
