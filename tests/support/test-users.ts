import { randomUUID } from 'node:crypto';
import { createAccountsClient, idpResponse, tokenBy, type TestUser } from './accounts-client';

export type { TestUser };

const getEmulator = () => ({ emulatorHost: process.env.FIREBASE_AUTH_EMULATOR_HOST ?? '', projectId: 'demo-campus' });
const sign = (method: string, body: object) => tokenBy(getEmulator(), method, body);

/** Creates a separate user for each test, verified unless specified otherwise. */
export const createTestUser = (details: { emailVerified?: boolean; name?: string } = {}) =>
  createAccountsClient(getEmulator()).create(details);

// These functions sign in as the browser does and return the ID token.
export const fetchIdToken = ({ email, password }: Pick<TestUser, 'email' | 'password'>) =>
  sign('signInWithPassword', { email, password });

/**
 * Returns an ID token as the SDK gets it by the refresh token `seconds` later, for the same sign-in. It is unsigned,
 * because the emulator checks no signatures.
 */
export function refreshIdToken(token: string, seconds: number): string {
  return changeTimes(token, ({ iat, exp }) => ({ iat: iat + seconds, exp: exp + seconds }));
}

/** Returns the unsigned ID token of a sign-in that was `seconds` later, or earlier if negative. */
export function shiftIdToken(token: string, seconds: number): string {
  return changeTimes(token, (times) => ({
    iat: times.iat + seconds,
    exp: times.exp,
    auth_time: times.auth_time + seconds,
  }));
}

type Times = { iat: number; exp: number; auth_time: number };

function changeTimes(token: string, change: (times: Times) => Partial<Times>): string {
  const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Times;
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'none', typ: 'JWT' })}.${part({ ...claims, ...change(claims) })}.`;
}

export const idTokenByCustomToken = (token: string) => sign('signInWithCustomToken', { token });

/** @param email undefined if Google shares none */
export const fetchGoogleIdToken = (email: string | undefined, emailVerified: boolean) =>
  sign('signInWithIdp', idpResponse('google.com', { sub: randomUUID(), email, email_verified: emailVerified }));

/** @param provider id of an organization's or partner's provider */
export const fetchOrganizationIdToken = (provider: string, email: string) =>
  sign('signInWithIdp', idpResponse(provider, { sub: email, email, email_verified: true }));
