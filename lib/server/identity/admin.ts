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
  if (config.FIREBASE_CREDENTIALS === 'application-default') return limitTime(applicationDefault());
  const { NEXT_PUBLIC_FIREBASE_PROJECT_ID: projectId, FIREBASE_CLIENT_EMAIL, FIREBASE_PRIVATE_KEY } = config;
  if (!FIREBASE_CLIENT_EMAIL || !FIREBASE_PRIVATE_KEY) return undefined;
  const account = { projectId, clientEmail: FIREBASE_CLIENT_EMAIL, privateKey: FIREBASE_PRIVATE_KEY };
  return limitTime(cert(account), account);
}

export const REQUEST_TIMEOUT_MS = 5_000;

/**
 * Makes a credential whose token comes in time, or fails. The library has no time limit, and lets all who ask wait for the request that hangs:
 * its client is replaced then, and the next one asks again.
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
 * @param resource below the project, as `config`
 * @throws Error when there is no credential, or no response in time
 */
export async function fetchProjectResource(resource: string): Promise<Response> {
  const { NEXT_PUBLIC_FIREBASE_PROJECT_ID: projectId, FIREBASE_AUTH_EMULATOR_HOST: emulator } = env();
  const host = 'identitytoolkit.googleapis.com';
  const base = emulator ? `http://${emulator}/${host}` : `https://${host}`;
  return fetchAsAdmin(`${base}/v2/projects/${projectId}/${resource}`);
}

/** Reads how App Check guards the identity provider's API. @throws as `fetchProjectResource` */
export async function fetchAppCheckService(): Promise<Response> {
  const service = `projects/${env().NEXT_PUBLIC_FIREBASE_PROJECT_ID}/services/identitytoolkit.googleapis.com`;
  return fetchAsAdmin(`https://firebaseappcheck.googleapis.com/v1/${service}`);
}

async function fetchAsAdmin(address: string): Promise<Response> {
  const headers = { authorization: `Bearer ${await getAdminToken()}` };
  return fetch(address, { headers, signal: abortAfter(REQUEST_TIMEOUT_MS) });
}

/** An access token of the service account. @throws Error of the credential */
export async function getAdminToken(): Promise<string> {
  if (env().FIREBASE_AUTH_EMULATOR_HOST !== undefined) return 'owner';
  const token = await getIdentityAdmin().app.options.credential?.getAccessToken();
  return token?.access_token ?? '';
}

// Every account is read here: what a client can write at the identity provider gets its bounds in one place.

/** An account as the identity provider has it, without facts; null when there is none. @throws ApiProblem 503 */
export function readStored(uid: string): Promise<StoredAccount | null> {
  return nullOnCode(getIdentityAdmin().getUser(uid).then(boundAccount), 'getUser', 'auth/user-not-found');
}

/** The same by its email; null when there is none. @throws ApiProblem 503 */
export function readStoredByEmail(email: string): Promise<StoredAccount | null> {
  const found = getIdentityAdmin().getUserByEmail(email).then(boundAccount);
  return nullOnCode(found, 'getUserByEmail', 'auth/user-not-found');
}

/** The result of a call to firebase-admin; null if it throws one of the codes. @throws ApiProblem for every other error */
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

/** The provider's errors for a token, a session cookie or an account. Any other error means it is unavailable. */
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
    // Our rules for addresses and the provider's differ.
    'auth/invalid-email': 'bad-request',
  }),
);

/** What the provider judges by itself, such as its emulator for each token, by the names of the same rules here (docs/account-policy.md). */
const RULES: Partial<Record<ProblemCode, string>> = {
  'token-revoked': 'revoked-since-proof',
  'user-disabled': 'disabled-account',
  'user-deleted': 'deleted-account',
};

/** The provider's limits of the links for one address: what a stranger asks for is no outage. firebase-admin passes their text on. */
const LINK_LIMITS = /TOO_MANY_ATTEMPTS_TRY_LATER|RESET_PASSWORD_EXCEED_LIMIT/;

/**
 * Awaits a call to the identity provider.
 * @param operation its name in the metrics
 * @throws ApiProblem with the provider's error, mostly 401, or `provider-unavailable` when it did not respond in time
 */
export function callIdentityProvider<T>(request: Promise<T>, operation: ProviderOperation): Promise<T> {
  return measureProviderCall(operation, async () => {
    try {
      return await promiseTimeout(request, REQUEST_TIMEOUT_MS);
    } catch (error) {
      throw toProblem(error, operation);
    }
  });
}

/**
 * Verifies the signature of a token of the identity provider (RFC 7519) and its lifetime, in this process.
 * @throws ApiProblem `token-invalid`, `token-expired`, 503 when the provider's keys could not be fetched
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

/** What the library reads before the signature: other types make it fail as if the keys could not be fetched. */
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
 * Whether the token is what is wrong. When its keys cannot be fetched, the library gives the same code: taken for a forgery, an outage would
 * sign everyone out.
 */
function isAboutToken(error: unknown): boolean {
  // It stumbles over some forgeries, such as claims that are no JSON: one who sends them must not look like an outage.
  if (error instanceof SyntaxError || error instanceof TypeError || error instanceof RangeError) return true;
  return getErrorCode(error) === 'auth/argument-error' && error instanceof Error && NAMES_TOKEN.test(error.message);
}

const NAMES_TOKEN = /^(?:Decoding )?Firebase (?:ID token|session cookie) |^verify\w+\(\) expects /;

function toProblem(error: unknown, operation: ProviderOperation): ApiProblem {
  if (isApiProblem(error)) return error;
  const code = getRawCode(error, operation) ?? ERROR_CODES.get(getErrorCode(error));
  if (code === undefined) return providerUnavailable(error);
  const rule = RULES[code];
  return new ApiProblem(code, { cause: error, ...(rule !== undefined && { rule }) });
}

/** The problem of a caller, and a log line for the operator when there is a cause. */
export function providerUnavailable(cause?: unknown): ApiProblem {
  if (cause !== undefined) logProviderFailure(cause);
  return new ApiProblem('provider-unavailable', { retryAfter: RETRY_AFTER_SECONDS, cause });
}

/** Of the provider's errors that firebase-admin does not know. */
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
 * Logs why the identity provider failed: the first failure of each kind, and then one line per minute with the number
 * of those in between.
 */
export function logProviderFailure(error: unknown, now = Date.now()): void {
  const causes = getCauses(error);
  const kind = causes.findLast(({ reason }) => reason !== undefined)?.reason ?? causes[0]?.error ?? 'unknown';
  const suppressed = countSuppressed('identity provider', kind, now);
  if (suppressed !== null) log().error({ kind, suppressed, causes }, 'identity provider failed');
}

/** The error and its causes. Not under the name `code`, which redaction removes: here it is the kind of a failure. */
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

/** `Error code: ECONNREFUSED` reads like a secret named code. */
function dropCode(message: string): string {
  return message.replaceAll(/\bError code: ([A-Z_]+)\b/g, '$1');
}

const RETRY_DELAYS_MS = [100, 300, 900];

/**
 * Runs an idempotent operation, up to four times while the identity provider is unavailable.
 * @throws any error of the work, 503 of the last try
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
