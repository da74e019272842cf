import { randomUUID } from 'node:crypto';
import type { Endpoints } from '../../scripts/lib/stack.mjs';
import { persistentFetch } from './persistent-fetch';

export const PASSWORD = 'correct-horse-7';

export type TestUser = { uid: string; email: string; name: string; password: string };
type Details = { emailVerified?: boolean; disabled?: boolean; email?: string; name?: string };
/** The part of the identity provider's account data that tests read. */
type Account = { emailVerified?: boolean; providerUserInfo?: { providerId: string }[]; [name: string]: unknown };
export type ProviderResponse = { status: number; body: Record<string, unknown> };
/** A user's claims from a sign-in provider. */
export type Identity = { sub: string; email?: string; email_verified?: boolean };

/** Calls the identity provider's REST API with the public key. @returns the status and body, also for errors */
export async function callProvider(
  { emulatorHost }: Pick<Endpoints, 'emulatorHost'>,
  path: string,
  body: object,
  headers: Record<string, string> = {},
): Promise<ProviderResponse> {
  const response = await persistentFetch(`http://${emulatorHost}/identitytoolkit.googleapis.com/v1/${path}?key=local`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

/** Builds the body of `accounts:signInWithIdp` with the response of a social, SAML or OIDC provider. */
export function idpResponse(providerId: string, identity: Identity) {
  const assertion = JSON.stringify({ assertion: { subject: { nameId: identity.email } } });
  const saml: Record<string, string> = providerId.startsWith('saml.') ? { SAMLResponse: assertion } : {};
  const postBody = new URLSearchParams({ providerId, id_token: JSON.stringify(identity), ...saml }).toString();
  return { postBody, requestUri: 'http://localhost', returnSecureToken: true, returnIdpCredential: true };
}

/** Signs in as a browser does. @param method the part of the path after `accounts:` @returns the ID token */
export async function tokenBy(emulator: Pick<Endpoints, 'emulatorHost'>, method: string, body: object) {
  const answer = await callProvider(emulator, `accounts:${method}`, { ...body, returnSecureToken: true });
  if (answer.status !== 200) throw new Error(`No sign-in: ${JSON.stringify(answer.body)}`);
  return String(answer.body.idToken);
}

/** Creates the account operations of an operator. They use the emulator's REST API. */
export function createAccountsClient(endpoints: Pick<Endpoints, 'emulatorHost' | 'projectId'>) {
  const idToken = ({ email, password }: Pick<TestUser, 'email' | 'password'>) =>
    tokenBy(endpoints, 'signInWithPassword', { email, password });
  const call = async (method: string, body: object): Promise<Record<string, unknown>> => {
    const path = `projects/${endpoints.projectId}${method.startsWith(':') ? '' : '/'}${method}`;
    const answer = await callProvider(endpoints, path, body, { authorization: 'Bearer owner' });
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const update = ({ uid }: TestUser, changes: object) => call('accounts:update', { localId: uid, ...changes });
  /** Finds the account with this id or email. Undefined if it does not exist. */
  const find = async (by: { localId: string[] } | { email: string[] }) =>
    ((await call('accounts:lookup', by)) as { users?: Account[] }).users?.[0];
  const methodsIn = (account?: Account) => (account?.providerUserInfo ?? []).map(({ providerId }) => providerId).sort();
  return {
    /** Creates a user that no other test uses. */
    async create({ emailVerified = true, disabled = false, ...given }: Details = {}): Promise<TestUser> {
      const id = randomUUID().slice(0, 8);
      const { email = `person-${id}@campus.test`, name = `Pat ${id}` } = given;
      const user = { uid: `uid-${id}`, email, name, password: PASSWORD };
      const account = { localId: user.uid, email, displayName: name, password: PASSWORD, emailVerified, disabled };
      await call('accounts', account);
      // A link that is emailed in the second of the creation would be over (getCredentialEnd). The provider has the real
      // time, also where a test sets another `Date`.
      const now = (performance.timeOrigin + performance.now()) / 1000;
      await update(user, { validSince: String(Math.floor(now) - 60) });
      return user;
    },
    /** Signs in as a browser does. @returns the ID token */
    idToken,
    disable: (user: TestUser) => update(user, { disableUser: true }),
    remove: ({ uid }: TestUser) => call('accounts:delete', { localId: uid }),
    /** Lists an account's sign-in methods by the identity provider's ids. */
    fetchMethods: async ({ uid }: Pick<TestUser, 'uid'>) => methodsIn(await find({ localId: [uid] })),
    fetchMethodsByEmail: async (email: string) => methodsIn(await find({ email: [email] })),
    /** Reads all account data that the identity provider stores, except the times of its sign-ins. */
    async fetchRecord({ uid }: Pick<TestUser, 'uid'>): Promise<Record<string, unknown>> {
      return { ...(await find({ localId: [uid] })), lastLoginAt: undefined, lastRefreshAt: undefined };
    },
    /** Reads an account by its id, as a server does. Null if it does not exist. */
    async read(uid: string) {
      const account = await find({ localId: [uid] });
      return account ? { methods: methodsIn(account), emailVerified: account.emailVerified === true } : null;
    },
    /** Returns whether an email has an account. */
    exists: async (email: string) => (await find({ email: [email] })) !== undefined,
    /** Returns whether the account of an email is verified. */
    isVerified: async (email: string) => (await find({ email: [email] }))?.emailVerified === true,
    setUnverified: (user: TestUser) => update(user, { emailVerified: false }),
    async markLegacy(user: TestUser): Promise<void> {
      const { customAttributes = '{}' } = (await find({ localId: [user.uid] })) ?? {};
      const claims = JSON.parse(String(customAttributes)) as object;
      await update(user, { customAttributes: JSON.stringify({ ...claims, legacy: true }) });
    },
    /** Marks an account as earlier releases did, which created it before its mailbox was proved. */
    markUnproved: (user: TestUser) =>
      update(user, { customAttributes: JSON.stringify({ unproved_registration: true }) }),
    /** Creates the code of a sign-in link, as the identity provider would email it. */
    async signInCode({ email }: TestUser): Promise<string> {
      const body = { requestType: 'EMAIL_SIGNIN', email, returnOobLink: true, canHandleCodeInApp: true };
      return String((await call('accounts:sendOobCode', body)).oobCode);
    },
    /**
     * Reads the code of the last email that the identity provider itself would send to an address. @param kind such as
     * `VERIFY_AND_CHANGE_EMAIL`
     */
    async readProviderCode(email: string, kind: string): Promise<string> {
      const { emulatorHost, projectId } = endpoints;
      const list = await persistentFetch(`http://${emulatorHost}/emulator/v1/projects/${projectId}/oobCodes`);
      type Code = { email: string; requestType: string; oobCode: string };
      const { oobCodes } = (await list.json()) as { oobCodes: Code[] };
      return oobCodes.findLast((code) => code.email === email && code.requestType === kind)?.oobCode ?? '';
    },
    /** Creates a session cookie with this lifetime in seconds. */
    async createSession(user: TestUser, lifetime: number): Promise<string> {
      const body = { idToken: await idToken(user), validDuration: String(lifetime) };
      return String((await call(':createSessionCookie', body)).sessionCookie);
    },
    /** Revokes every session created before the next full second, as firebase-admin's revokeRefreshTokens does. */
    revoke: (user: TestUser) => update(user, { validSince: String(Math.floor(Date.now() / 1000) + 1) }),
  };
}

export type AccountsClient = ReturnType<typeof createAccountsClient>;
