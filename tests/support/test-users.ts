import { randomUUID } from 'node:crypto';
import { getIdentityAdmin } from '@/lib/server/identity-provider/admin';
import { idpResponse, PASSWORD, tokenBy, type TestUser as Account } from './accounts-client';

export type TestUser = Omit<Account, 'name'>;

/** A separate user for each test; verified unless specified otherwise. */
export async function createTestUser(
  properties: { emailVerified?: boolean; displayName?: string } = {},
): Promise<TestUser> {
  const email = `${randomUUID()}@campus.test`;
  const account = { email, password: PASSWORD, emailVerified: true, displayName: 'Test Person', ...properties };
  const { uid } = await getIdentityAdmin().createUser(account);
  return { uid, email, password: PASSWORD };
}

const sign = (method: string, body: object) =>
  tokenBy({ emulatorHost: process.env.FIREBASE_AUTH_EMULATOR_HOST ?? '' }, method, body);

// Each signs in as the browser does, and returns the ID token.
export const fetchIdToken = ({ email, password }: TestUser) => sign('signInWithPassword', { email, password });

export const idTokenByCustomToken = (token: string) => sign('signInWithCustomToken', { token });

/** @param email undefined when Google shares none */
export const fetchGoogleIdToken = (email: string | undefined, emailVerified: boolean) =>
  sign('signInWithIdp', idpResponse('google.com', { sub: randomUUID(), email, email_verified: emailVerified }));

/** @param provider of an organization or a partner */
export const fetchOrganizationIdToken = (provider: string, email: string) =>
  sign('signInWithIdp', idpResponse(provider, { sub: email, email, email_verified: true }));
