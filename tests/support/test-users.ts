import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { getIdentityAdmin } from '@/lib/server/identity-provider/admin';

const PASSWORD = 'correct-horse-7';

export type TestUser = { uid: string; email: string; password: string };

/** A separate user for each test; verified unless specified otherwise. */
export async function createTestUser(
  properties: { emailVerified?: boolean; displayName?: string } = {},
): Promise<TestUser> {
  const email = `${randomUUID()}@campus.test`;
  const account = { email, password: PASSWORD, emailVerified: true, displayName: 'Test Person', ...properties };
  const { uid } = await getIdentityAdmin().createUser(account);
  return { uid, email, password: PASSWORD };
}

const signedIn = z.object({ idToken: z.string(), refreshToken: z.string() });

/** Signs in as the browser does. @returns the ID token */
export async function idTokenOf({ email, password }: TestUser): Promise<string> {
  return (await call('accounts:signInWithPassword', { email, password, returnSecureToken: true })).idToken;
}

/** Signs in with a custom token. @returns the ID token */
export async function idTokenByCustomToken(token: string): Promise<string> {
  return (await call('accounts:signInWithCustomToken', { token, returnSecureToken: true })).idToken;
}

/**
 * Signs in with Google's response, as the emulator accepts it.
 * @param email undefined when the provider shares none
 * @returns the ID token
 */
export async function googleIdTokenOf(email: string | undefined, emailVerified: boolean): Promise<string> {
  const identity = JSON.stringify({ sub: randomUUID(), email, email_verified: emailVerified });
  const postBody = new URLSearchParams({ id_token: identity, providerId: 'google.com' }).toString();
  const body = { postBody, requestUri: 'http://localhost', returnSecureToken: true, returnIdpCredential: true };
  return (await call('accounts:signInWithIdp', body)).idToken;
}

/** Signs in with the response of an organization's provider, or a partner's. @returns the ID token */
export async function organizationIdTokenOf(provider: string, email: string): Promise<string> {
  const identity = JSON.stringify({ sub: email, email, email_verified: true });
  const assertion = JSON.stringify({ assertion: { subject: { nameId: email } } });
  const answer = {
    id_token: identity,
    providerId: provider,
    ...(provider.startsWith('saml.') && { SAMLResponse: assertion }),
  };
  const postBody = new URLSearchParams(answer).toString();
  const body = { postBody, requestUri: 'http://localhost', returnSecureToken: true, returnIdpCredential: true };
  return (await call('accounts:signInWithIdp', body)).idToken;
}

async function call(method: string, body: unknown): Promise<z.output<typeof signedIn>> {
  const host = process.env.FIREBASE_AUTH_EMULATOR_HOST ?? '';
  const response = await fetch(`http://${host}/identitytoolkit.googleapis.com/v1/${method}?key=local-api-key`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${method} answered ${String(response.status)}: ${await response.text()}`);
  return signedIn.parse(await response.json());
}
