import {
  applicationDefault,
  cert,
  getApp,
  getApps,
  initializeApp,
  type App,
  type Credential,
} from 'firebase-admin/app';
import { getAuth, type Auth } from 'firebase-admin/auth';
import { env } from '@/lib/server/runtime';
import type { StoredAccount } from '@/lib/server/policy';
import { callIdentityProvider } from './call-provider';
import type { ProviderOperation } from './measure-call';

const APP_NAME = 'learner-identity';

/** Admin SDK of the identity provider; uses the emulator when `FIREBASE_AUTH_EMULATOR_HOST` is set. */
export function getIdentityAdmin(): Auth {
  const exists = getApps().some(({ name }) => name === APP_NAME);
  return getAuth(exists ? getApp(APP_NAME) : createApp());
}

function createApp(): App {
  const { NEXT_PUBLIC_FIREBASE_PROJECT_ID: projectId, FIREBASE_CLIENT_EMAIL: clientEmail } = env();
  const credential = getCredential();
  // Signs custom tokens where the credential does not say which account it is.
  const account = clientEmail === undefined ? {} : { serviceAccountId: clientEmail };
  return initializeApp({ projectId, ...account, ...(credential && { credential }) }, APP_NAME);
}

function getCredential(): Credential | undefined {
  const config = env();
  if (config.FIREBASE_AUTH_EMULATOR_HOST !== undefined) return undefined;
  if (config.FIREBASE_CREDENTIALS === 'application-default') return applicationDefault();
  const { NEXT_PUBLIC_FIREBASE_PROJECT_ID: projectId, FIREBASE_CLIENT_EMAIL, FIREBASE_PRIVATE_KEY } = config;
  return FIREBASE_CLIENT_EMAIL && FIREBASE_PRIVATE_KEY
    ? cert({ projectId, clientEmail: FIREBASE_CLIENT_EMAIL, privateKey: FIREBASE_PRIVATE_KEY })
    : undefined;
}

/** Timeout of a request, in milliseconds. */
const REQUEST_TIMEOUT_MS = 5_000;

/**
 * Reads from the project with the service account (Identity Toolkit API, version 2).
 * @param resource below the project, as `config`
 * @throws Error when there is no credential, or no response in time
 */
export async function fetchProjectResource(resource: string): Promise<Response> {
  const { NEXT_PUBLIC_FIREBASE_PROJECT_ID: projectId, FIREBASE_AUTH_EMULATOR_HOST: emulator } = env();
  const host = 'identitytoolkit.googleapis.com';
  const base = emulator ? `http://${emulator}/${host}` : `https://${host}`;
  return fetch(`${base}/v2/projects/${projectId}/${resource}`, {
    headers: { authorization: `Bearer ${await getAdminToken()}` },
    signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
  });
}

/** Reads how App Check guards the identity provider's API. @throws as `fetchProjectResource` */
export async function fetchAppCheckService(): Promise<Response> {
  const service = `projects/${env().NEXT_PUBLIC_FIREBASE_PROJECT_ID}/services/identitytoolkit.googleapis.com`;
  return fetch(`https://firebaseappcheck.googleapis.com/v1/${service}`, {
    headers: { authorization: `Bearer ${await getAdminToken()}` },
    signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
  });
}

/** An access token of the service account. @throws Error of the credential */
export async function getAdminToken(): Promise<string> {
  if (env().FIREBASE_AUTH_EMULATOR_HOST !== undefined) return 'owner';
  const token = await getIdentityAdmin().app.options.credential?.getAccessToken();
  return token?.access_token ?? '';
}

/** An account as the identity provider has it, without facts; null when there is none. @throws ApiProblem 503 */
export function readStored(uid: string): Promise<StoredAccount | null> {
  return nullOnCode(getIdentityAdmin().getUser(uid), 'getUser', 'auth/user-not-found');
}

/** The result of a call to firebase-admin; null if it throws the code. @throws ApiProblem for every other error */
export function nullOnCode<T>(request: Promise<T>, operation: ProviderOperation, code: string): Promise<T | null> {
  return callIdentityProvider(
    request.catch((error: unknown) => {
      if (hasCode(error, code)) return null;
      throw error;
    }),
    operation,
  );
}

function hasCode(error: unknown, code: string): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === code;
}
