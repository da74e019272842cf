import { randomUUID } from 'node:crypto';
import type { Endpoints } from './stack';

export const PASSWORD = 'correct-horse-7';

export type TestUser = { uid: string; email: string; name: string; password: string };
type Details = { emailVerified?: boolean; disabled?: boolean; email?: string; name?: string };

/** An operator's account operations, run on the emulator through its REST API. */
export function createAccountsClient({ emulatorHost, projectId }: Endpoints) {
  const idToken = async ({ email, password }: Pick<TestUser, 'email' | 'password'>): Promise<string> => {
    const method = `http://${emulatorHost}/identitytoolkit.googleapis.com/v1/accounts:signInWithPassword?key=local`;
    const body = JSON.stringify({ email, password, returnSecureToken: true });
    const response = await fetch(method, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    if (!response.ok) throw new Error(`No sign-in: ${await response.text()}`);
    return ((await response.json()) as { idToken: string }).idToken;
  };
  const call = async (path: string, body: object): Promise<unknown> => {
    const base = `http://${emulatorHost}/identitytoolkit.googleapis.com/v1/projects/${projectId}`;
    const response = await fetch(`${base}${path.startsWith(':') ? '' : '/'}${path}`, {
      method: 'POST',
      headers: { authorization: 'Bearer owner', 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response.json();
  };
  return {
    /** A new user that no other test uses. */
    async create({ emailVerified = true, disabled = false, email, name }: Details = {}): Promise<TestUser> {
      const id = randomUUID().slice(0, 8);
      const user = {
        uid: `uid-${id}`,
        email: email ?? `person-${id}@campus.test`,
        name: name ?? `Pat ${id}`,
        password: PASSWORD,
      };
      await call('accounts', {
        localId: user.uid,
        email: user.email,
        displayName: user.name,
        password: user.password,
        emailVerified,
        disabled,
      });
      return user;
    },
    /** Signs in as a browser does. @returns the ID token */
    idToken,
    disable: ({ uid }: TestUser) => call('accounts:update', { localId: uid, disableUser: true }),
    remove: ({ uid }: TestUser) => call('accounts:delete', { localId: uid }),
    /** The sign-in methods of an account, as the identity provider's ids. */
    async methodsOf({ uid }: Pick<TestUser, 'uid'>): Promise<string[]> {
      const answer = (await call('accounts:lookup', { localId: [uid] })) as {
        users?: { providerUserInfo?: { providerId: string }[] }[];
      };
      return (answer.users?.[0]?.providerUserInfo ?? []).map(({ providerId }) => providerId).sort();
    },
    /** All account data that the identity provider stores, except the times of its sign-ins. */
    async recordOf({ uid }: Pick<TestUser, 'uid'>): Promise<Record<string, unknown>> {
      const { users } = (await call('accounts:lookup', { localId: [uid] })) as { users?: Record<string, unknown>[] };
      return { ...users?.[0], lastLoginAt: undefined, lastRefreshAt: undefined };
    },
    /** Whether an email address has an account. */
    async exists(email: string): Promise<boolean> {
      return ((await call('accounts:lookup', { email: [email] })) as { users?: unknown[] }).users !== undefined;
    },
    markLegacy: ({ uid }: TestUser) =>
      call('accounts:update', { localId: uid, customAttributes: JSON.stringify({ legacy: true }) }),
    /** The code of a sign-in link, as the identity provider would email it. */
    async signInCode({ email }: TestUser): Promise<string> {
      const body = { requestType: 'EMAIL_SIGNIN', email, returnOobLink: true, canHandleCodeInApp: true };
      const { oobCode } = (await call('accounts:sendOobCode', body)) as { oobCode: string };
      return oobCode;
    },
    /** A session cookie with this lifetime, in seconds. */
    async sessionOf(user: TestUser, lifetime: number): Promise<string> {
      const body = { idToken: await idToken(user), validDuration: String(lifetime) };
      const { sessionCookie } = (await call(':createSessionCookie', body)) as { sessionCookie: string };
      return sessionCookie;
    },
    /** Revokes every session created before the next full second, as firebase-admin's revokeRefreshTokens does. */
    revoke: ({ uid }: TestUser) =>
      call('accounts:update', { localId: uid, validSince: String(Math.floor(Date.now() / 1000) + 1) }),
  };
}

/** The account that a server reads by its id; null if it does not exist. */
export async function readStoredAccount({ emulatorHost, projectId }: Endpoints, uid: string) {
  const address = `http://${emulatorHost}/identitytoolkit.googleapis.com/v1/projects/${projectId}/accounts:lookup`;
  const headers = { authorization: 'Bearer owner', 'content-type': 'application/json' };
  const response = await fetch(address, { method: 'POST', headers, body: JSON.stringify({ localId: [uid] }) });
  if (!response.ok) throw new Error(`No account: ${await response.text()}`);
  const { users } = (await response.json()) as {
    users?: { emailVerified?: boolean; providerUserInfo?: { providerId: string }[] }[];
  };
  const [user] = users ?? [];
  const methods = (user?.providerUserInfo ?? []).map(({ providerId }) => providerId);
  return user ? { methods, emailVerified: user.emailVerified === true } : null;
}

export type AccountsClient = ReturnType<typeof createAccountsClient>;
