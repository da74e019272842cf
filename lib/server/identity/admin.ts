import {
  applicationDefault,
  cert,
  getApp,
  getApps,
  initializeApp,
  type App,
  type Credential,
  type ServiceAccount,
} from 'firebase-admin/app';
import { getAuth, type Auth, type DecodedIdToken } from 'firebase-admin/auth';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { boundAccount, type StoredAccount } from '@/lib/server/policy';
import { countSuppressed, env, log } from '@/lib/server/runtime';
import { ApiProblem, isApiProblem, type ProblemCode } from '@/lib/shared/problem';
import { promiseTimeout } from '@/lib/shared/promise-timeout';
import { measureProviderCall, type ProviderOperation } from './measure-call';
import { abortAfter } from '@/lib/shared/time-limit';

const APP_NAME = 'learner-identity';

/** Returns the Admin SDK of the identity provider, or of its emulator if `FIREBASE_AUTH_EMULATOR_HOST` is set. */
export function getIdentityAdmin(): Auth {
  const exists = getApps().some(({ name }) => name === APP_NAME);
  return getAuth(exists ? getApp(APP_NAME) : createApp());
}

function createApp(): App {
  const { NEXT_PUBLIC_FIREBASE_PROJECT_ID: projectId, FIREBASE_CLIENT_EMAIL: clientEmail } = env();
  const credential = getCredential();
  // Names the account that signs custom tokens, for credentials that do not contain it.
  const account = clientEmail === undefined ? {} : { serviceAccountId: clientEmail };
  return initializeApp({ projectId, ...account, ...(credential && { credential }) }, APP_NAME);
}

function getCredential(): Credential | undefined {
  const config = env();
  if (config.FIREBASE_AUTH_EMULATOR_HOST !== undefined) return undefined;
  if (config.FIREBASE_CREDENTIALS === 'application-default') return limitTime(applicationDefault());
  const { NEXT_PUBLIC_FIREBASE_PROJECT_ID: projectId, FIREBASE_CLIENT_EMAIL, FIREBASE_PRIVATE_KEY } = config;
  if (!FIREBASE_CLIENT_EMAIL || !FIREBASE_PRIVATE_KEY) return undefined;
  const account = { projectId, clientEmail: FIREBASE_CLIENT_EMAIL, privateKey: FIREBASE_PRIVATE_KEY };
  return limitTime(cert(account), account);
}

export const REQUEST_TIMEOUT_MS = 5_000;

/**
 * Makes a credential that delivers its token in time, or fails. The library has no time limit, and all callers wait for
 * its current request. When that request hangs, the client is replaced, so the next caller sends a new request.
 */
function limitTime(credential: Credential, account?: ServiceAccount): Credential {
  const Kind = credential.constructor as new (account?: ServiceAccount) => Credential;
  const fetchToken = credential.getAccessToken.bind(credential);
  let pending: ReturnType<typeof fetchToken> | null = null;
  const fetchInTime = async () => {
    try {
      return await promiseTimeout(fetchToken(), REQUEST_TIMEOUT_MS);
    } catch (error) {
      Object.assign(credential, { googleAuth: undefined, authClient: undefined }, new Kind(account));
      throw error;
    } finally {
      pending = null;
    }
  };
  return Object.assign(credential, { getAccessToken: () => (pending ??= fetchInTime()) });
}

/**
 * Reads from the project with the service account (Identity Toolkit API, version 2).
 * @param resource path below the project, such as `config`
 * @throws Error without a credential, or without a response in time
 */
export async function fetchProjectResource(resource: string): Promise<Response> {
  const { NEXT_PUBLIC_FIREBASE_PROJECT_ID: projectId, FIREBASE_AUTH_EMULATOR_HOST: emulator } = env();
  const host = 'identitytoolkit.googleapis.com';
  const base = emulator ? `http://${emulator}/${host}` : `https://${host}`;
  return fetchAsAdmin(`${base}/v2/projects/${projectId}/${resource}`);
}

/**
 * Reads how App Check guards the identity provider's API.
 * @throws Error without a credential, or without a response in time
 */
export async function fetchAppCheckService(): Promise<Response> {
  const service = `projects/${env().NEXT_PUBLIC_FIREBASE_PROJECT_ID}/services/identitytoolkit.googleapis.com`;
  return fetchAsAdmin(`https://firebaseappcheck.googleapis.com/v1/${service}`);
}

async function fetchAsAdmin(address: string): Promise<Response> {
  const headers = { authorization: `Bearer ${await getAdminToken()}` };
  return fetch(address, { headers, signal: abortAfter(REQUEST_TIMEOUT_MS) });
}

/** Returns an access token of the service account. @throws Error of the credential */
export async function getAdminToken(): Promise<string> {
  if (env().FIREBASE_AUTH_EMULATOR_HOST !== undefined) return 'owner';
  const token = await getIdentityAdmin().app.options.credential?.getAccessToken();
  return token?.access_token ?? '';
}

// All accounts are read here, so the size of values that a client can write at the identity provider is limited in one
// place.

/** Reads an account as stored at the identity provider, without facts. Null if there is none. @throws ApiProblem 503 */
export function readStored(uid: string): Promise<StoredAccount | null> {
  return nullOnCode(getIdentityAdmin().getUser(uid).then(boundAccount), 'getUser', 'auth/user-not-found');
}

/** Reads the account with an email as stored at the identity provider. Null if there is none. @throws ApiProblem 503 */
export function readStoredByEmail(email: string): Promise<StoredAccount | null> {
  const found = getIdentityAdmin().getUserByEmail(email).then(boundAccount);
  return nullOnCode(found, 'getUserByEmail', 'auth/user-not-found');
}

/**
 * Returns the result of a call to firebase-admin, or null if it throws one of the codes.
 * @throws ApiProblem for every other error
 */
export function nullOnCode<T>(
  request: Promise<T>,
  operation: ProviderOperation,
  ...codes: readonly string[]
): Promise<T | null> {
  return callIdentityProvider(
    request.catch((error: unknown) => {
      if (codes.includes(getErrorCode(error))) return null;
      throw error;
    }),
    operation,
  );
}

const RETRY_AFTER_SECONDS = 5;

/**
 * Maps the provider's errors for a token, a session cookie or an account. Any other error means that the provider is
 * unavailable.
 */
const ERROR_CODES = new Map<string, ProblemCode>(
  Object.entries({
    'auth/id-token-expired': 'token-expired',
    'auth/session-cookie-expired': 'token-expired',
    'auth/id-token-revoked': 'token-revoked',
    'auth/session-cookie-revoked': 'token-revoked',
    'auth/user-not-found': 'user-deleted',
    'auth/user-disabled': 'user-disabled',
    'auth/invalid-argument': 'token-invalid',
    'auth/invalid-id-token': 'token-invalid',
    'auth/invalid-session-cookie': 'token-invalid',
    'auth/invalid-password': 'password-weak',
    // Our rules for email addresses differ from the provider's.
    'auth/invalid-email': 'bad-request',
  }),
);

/**
 * Names the rules (docs/account-policy.md) for what the provider checks itself. Its emulator does so for each token.
 */
const RULES: Partial<Record<ProblemCode, string>> = {
  'token-revoked': 'revoked-since-proof',
  'user-disabled': 'disabled-account',
  'user-deleted': 'deleted-account',
};

/**
 * Matches the provider's limits for links to an email address. A stranger can reach them, so they are no outage.
 * firebase-admin passes on their text.
 */
const LINK_LIMITS = /TOO_MANY_ATTEMPTS_TRY_LATER|RESET_PASSWORD_EXCEED_LIMIT/;

/**
 * Awaits a call to the identity provider.
 * @param operation its name in the metrics
 * @throws ApiProblem with the provider's error, mostly 401; `provider-unavailable` if it did not respond in time
 */
export function callIdentityProvider<T>(request: Promise<T>, operation: ProviderOperation): Promise<T> {
  return measureProviderCall(operation, async () => {
    try {
      return await promiseTimeout(request, REQUEST_TIMEOUT_MS);
    } catch (error) {
      throw toProviderProblem(error, operation);
    }
  });
}

/**
 * Verifies the signature and the lifetime of a token of the identity provider (RFC 7519) in this process.
 * @throws ApiProblem `token-invalid` or `token-expired`; 503 if the provider's keys could not be fetched
 */
export function verifyJwt(operation: 'verifyIdToken' | 'verifySessionCookie', token: string): Promise<DecodedIdToken> {
  const verify = async () => {
    if (!hasForm(token)) throw new ApiProblem('token-invalid');
    return getIdentityAdmin()
      [operation](token)
      .catch((error: unknown) => {
        throw isAboutToken(error) ? new ApiProblem('token-invalid', { cause: error }) : error;
      });
  };
  return callIdentityProvider(verify(), operation);
}

/** The library reads these before the signature. With other types it fails as if the keys could not be fetched. */
const formSchema = z.object({
  header: z.object({ alg: z.string(), kid: z.string().optional() }),
  claims: z.object({ aud: z.string(), iss: z.string(), sub: z.string() }),
});

function hasForm(token: string): boolean {
  try {
    return formSchema.safeParse({ header: decodeProtectedHeader(token), claims: decodeJwt(token) }).success;
  } catch {
    return false;
  }
}

/**
 * Decides whether the token itself is wrong. The library uses the same code if it cannot fetch its keys. Treating that
 * as a forgery would sign out all users during an outage.
 */
function isAboutToken(error: unknown): boolean {
  // The library throws these for some forgeries, such as claims that are not JSON. A sender of forgeries must not look
  // like an outage.
  if (error instanceof SyntaxError || error instanceof TypeError || error instanceof RangeError) return true;
  return getErrorCode(error) === 'auth/argument-error' && error instanceof Error && NAMES_TOKEN.test(error.message);
}

const NAMES_TOKEN = /^(?:Decoding )?Firebase (?:ID token|session cookie) |^verify\w+\(\) expects /;

function toProviderProblem(error: unknown, operation: ProviderOperation): ApiProblem {
  if (isApiProblem(error)) return error;
  const code = getRawCode(error, operation) ?? ERROR_CODES.get(getErrorCode(error));
  if (code === undefined) return providerUnavailable(error);
  const rule = RULES[code];
  return new ApiProblem(code, { cause: error, ...(rule !== undefined && { rule }) });
}

/** Builds the problem for the caller. A cause is also logged for the operator. */
export function providerUnavailable(cause?: unknown): ApiProblem {
  if (cause !== undefined) logProviderFailure(cause);
  return new ApiProblem('provider-unavailable', { retryAfter: RETRY_AFTER_SECONDS, cause });
}

/** Finds errors of the provider that firebase-admin does not know. */
function getRawCode(error: unknown, operation: ProviderOperation): ProblemCode | undefined {
  const text = error instanceof Error ? error.message : '';
  if (operation === 'generateLink' && LINK_LIMITS.test(text)) return 'too-many-requests';
  return text.includes('PASSWORD_DOES_NOT_MEET_REQUIREMENTS') ? 'password-weak' : undefined;
}

function getErrorCode(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
}

const MAX_CAUSES = 5;

type Link = { error: string; reason?: string; message: string };

/**
 * Logs why the identity provider failed. It logs the first failure of each kind, then a line per minute with the number
 * of failures in between.
 */
export function logProviderFailure(error: unknown, now = Date.now()): void {
  const causes = getCauses(error);
  const kind = causes.findLast(({ reason }) => reason !== undefined)?.reason ?? causes[0]?.error ?? 'unknown';
  const suppressed = countSuppressed('identity provider', kind, now);
  if (suppressed !== null) log().error({ kind, suppressed, causes }, 'identity provider failed');
}

/**
 * Lists the error and its causes. The field is not named `code`, because redaction removes that name, and here it is
 * the kind of failure.
 */
function getCauses(error: unknown): Link[] {
  const causes: Link[] = [];
  for (let at = error; at instanceof Error && causes.length < MAX_CAUSES; at = getCause(at)) {
    const { code } = at as { code?: unknown };
    const isCode = typeof code === 'string' && /^[A-Za-z][\w/-]{0,63}$/.test(code);
    causes.push({ error: at.name, ...(isCode && { reason: code }), message: dropCode(at.message) });
  }
  return causes;
}

function getCause(error: Error): unknown {
  return error instanceof AggregateError ? (error.errors[0] as unknown) : error.cause;
}

/** Redaction would take `Error code: ECONNREFUSED` for a secret named code. */
function dropCode(message: string): string {
  return message.replaceAll(/\bError code: ([A-Z_]+)\b/g, '$1');
}

const RETRY_DELAYS_MS = [100, 300, 900];

/**
 * Runs an idempotent operation up to four times while the identity provider is unavailable.
 * @throws any error of the operation; 503 of the last attempt
 */
export async function retryWhileUnavailable<T>(work: () => Promise<T>): Promise<T> {
  for (const delay of RETRY_DELAYS_MS) {
    try {
      return await work();
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      await sleep(delay);
    }
  }
  return work();
}

export function isUnavailable(error: unknown): boolean {
  return isApiProblem(error) && error.code === 'provider-unavailable';
}
