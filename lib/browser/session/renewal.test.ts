// ASVS: 7.1.1, 7.3.1
import { expect, it } from 'vitest';
import type { SessionStatus } from '@/lib/shared/session-contract';
import { isRenewalDue } from './renewal';

const session: SessionStatus = {
  uid: 'u',
  email: null,
  displayName: null,
  photoURL: null,
  emailVerified: true,
  expiresAt: '2030-01-06T00:00:00Z',
  refreshAfter: '2030-01-02T00:00:00Z',
  assurance: 1,
};

it('renews a session from refreshAfter on', () => {
  expect(isRenewalDue(session, Date.parse('2030-01-01T23:59:59Z'))).toBe(false);
  expect(isRenewalDue(session, Date.parse('2030-01-02T00:00:00Z'))).toBe(true);
});
