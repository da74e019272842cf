import * as z from 'zod';
import { env, getTraceHeaders, processWide, sleepUntil } from '@/lib/server/runtime';
import type { Revocation } from '@/lib/server/storage';
import { tryTypedPassword } from '@/lib/shared/account/typed-password';
import { ApiProblem, isApiProblem, type ProblemCode } from '@/lib/shared/problem';
import { REQUEST_TIMEOUT_MS, getAdminToken, providerUnavailable } from './admin';
import { measureProviderCall, type ProviderOperation } from './measure-call';
import { abortAfter } from '@/lib/shared/time-limit';

/** Longer than the calls of a frozen change can take: a freeze, two lookups in sequence, and the change. */
const FREEZE_SECONDS = 21;

const failureSchema = z.object({ error: z.object({ message: z.string() }) });
/** The provider returns no email for a sign-in link. */
const codeSchema = z.object({ email: z.string().optional(), requestType: z.string().optional() });
const signInSchema = z.object({ idToken: z.string() });
const linkSignInSchema = z.object({ localId: z.string(), isNewUser: z.boolean().default(false) });
const lookupSchema = z.object({ users: z.array(z.object({ initialEmail: z.string().optional() })).optional() });
const policySchema = z.object({
  enforcementState: z.string().optional(),
  customStrengthOptions: z
    .object({
      minPasswordLength: z.number(),
      maxPasswordLength: z.number(),
      containsLowercaseCharacter: z.boolean(),
      containsUppercaseCharacter: z.boolean(),
      containsNumericCharacter: z.boolean(),
      containsNonAlphanumericCharacter: z.boolean(),
    })
    .partial()
    .optional(),
  allowedNonAlphanumericCharacters: z.array(z.string()).optional(),
});
export type ProviderPasswordPolicy = z.output<typeof policySchema>;

/** Errors of provider endpoints that the admin SDK does not cover. */
const ERROR_CODES: Partial<Record<string, ProblemCode>> = {
  EXPIRED_OOB_CODE: 'action-code-expired',
  INVALID_OOB_CODE: 'action-code-invalid',
  EMAIL_NOT_FOUND: 'action-code-invalid',
  INVALID_EMAIL: 'link-email-wrong',
  USER_DISABLED: 'user-disabled',
  USER_NOT_FOUND: 'user-deleted',
  EMAIL_EXISTS: 'email-taken',
  TOO_MANY_ATTEMPTS_TRY_LATER: 'too-many-requests',
  RESET_PASSWORD_EXCEED_LIMIT: 'too-many-requests',
  INVALID_PASSWORD: 'password-wrong',
  INVALID_LOGIN_CREDENTIALS: 'password-wrong',
  WEAK_PASSWORD: 'password-weak',
  PASSWORD_DOES_NOT_MEET_REQUIREMENTS: 'password-weak',
};

/**
 * Redeems a password-reset code.
 * @throws ApiProblem `action-code-expired`, `action-code-invalid`, `user-disabled`, `password-weak`, 503
 */
export async function resetPasswordByCode(oobCode: string, newPassword: string): Promise<void> {
  await call('accounts:resetPassword', { oobCode, newPassword }, z.object({}));
}

/**
 * Verifies the code of a link without redeeming it.
 * @returns the email that the code is for
 * @throws ApiProblem `action-code-expired`, `user-disabled`, 503; `action-code-invalid` also for a code of another kind
 */
export async function inspectCode(oobCode: string, requestType: 'PASSWORD_RESET' | 'VERIFY_EMAIL'): Promise<string> {
  const code = await call('accounts:resetPassword', { oobCode }, codeSchema);
  if (code.requestType !== requestType || code.email === undefined) throw new ApiProblem('action-code-invalid');
  return code.email;
}

/**
 * Redeems a verification code. The provider marks the email as verified.
 * @throws ApiProblem `action-code-expired`, `action-code-invalid`, `user-disabled`, 503
 */
export async function applyVerificationCode(oobCode: string): Promise<void> {
  await call('accounts:update', { oobCode }, z.object({}));
}

/**
 * Redeems the code of a sign-in link.
 * @returns the account's id; `isNew`: the identity provider created the account, because no account had the email any
 *   more
 * @throws ApiProblem `action-code-expired`, `action-code-invalid`, `user-disabled`, 503; `link-email-wrong` without
 *   redeeming the code
 */
export async function signInWithLinkCode(oobCode: string, email: string): Promise<{ uid: string; isNew: boolean }> {
  const { localId, isNewUser } = await call('accounts:signInWithEmailLink', { oobCode, email }, linkSignInSchema);
  return { uid: localId, isNew: isNewUser };
}

/**
 * Signs in with the same call that a browser uses.
 * @returns an ID token
 * @throws ApiProblem `password-wrong`, `user-disabled`, `too-many-requests`, 503
 */
export async function idTokenByPassword(email: string, password: string): Promise<string> {
  const attempt = async (form: string) => {
    const body = { email, password: form, returnSecureToken: true };
    try {
      return (await call('accounts:signInWithPassword', body, signInSchema)).idToken;
    } catch (error) {
      // The provider answered EMAIL_NOT_FOUND, because the account's email was just changed.
      if (isApiProblem(error) && error.code === 'action-code-invalid') throw new ApiProblem('password-wrong');
      throw error;
    }
  };
  return tryTypedPassword(password, attempt, (error) => isApiProblem(error) && error.code === 'password-wrong');
}

/** @throws ApiProblem 503 */
export async function idTokenByCustomToken(token: string): Promise<string> {
  return (await call('accounts:signInWithCustomToken', { token, returnSecureToken: true }, signInSchema)).idToken;
}

/** An account change that is applied atomically. */
export type AccountChange = {
  /** Sets the email, because a client may have changed it since it was proved. */
  email?: string | undefined;
  emailVerified?: boolean;
  displayName?: string;
  /** Refuses every sign-in and session of the account, or accepts them again. */
  disabled?: boolean;
  password?: string;
  removePassword?: boolean;
  unlink?: readonly string[];
  /** Removes name and picture. */
  clearProfile?: boolean;
  clearPicture?: boolean;
  removeSecondFactors?: boolean;
  /** Replaces all custom claims. */
  claims?: Record<string, unknown> | undefined;
  /**
   * Revokes every sign-in before the change is carried out, including sign-ins of the same second. The value is the
   * reason, for the session records.
   */
  revoke?: Revocation;
};

/**
 * Changes an account in a single call. Between two calls, a third party's sign-in method would work with an email that
 * is already verified. The admin SDK cannot remove a password, and it revokes separately and in whole seconds. Returns
 * when new sign-ins are valid, at most a second later.
 * @throws ApiProblem `password-weak`, `email-taken`, `user-deleted`, 503
 */
export async function changeAccount(
  uid: string,
  {
    unlink = [],
    removePassword,
    clearProfile,
    clearPicture,
    removeSecondFactors,
    claims,
    revoke,
    disabled,
    ...fields
  }: AccountChange,
): Promise<void> {
  const deleteAttribute = [
    ...(removePassword ? ['PASSWORD'] : []),
    ...(clearProfile ? ['DISPLAY_NAME'] : []),
    ...(clearProfile || clearPicture ? ['PHOTO_URL'] : []),
  ];
  const validSince = getNextProviderSecond();
  await callAsAdmin('accounts:update', {
    // The provider uses the same names for these fields.
    ...fields,
    localId: uid,
    deleteAttribute,
    deleteProvider: unlink,
    customAttributes: claims && JSON.stringify(claims),
    disableUser: disabled,
    ...(removeSecondFactors && { mfa: {} }),
    ...(revoke && { validSince: String(validSince) }),
  });
  if (!revoke) return;
  // The change may have been carried out in a later second. Until then a removed sign-in method still worked, so revoke
  // those sign-ins too.
  const carriedOut = getNextProviderSecond();
  const revokeAgain = () => callAsAdmin('accounts:update', { localId: uid, validSince: String(carriedOut) });
  // Retry a failure. The change is made, and few callers can repeat it, because it has revoked their own sign-in.
  if (carriedOut > validSince) await revokeAgain().catch(revokeAgain);
  // The next proof must not be from the second before, because it would be refused as revoked.
  await sleepUntil(toOwnTime(Math.max(validSince, carriedOut) * 1000));
}

/**
 * Revokes every sign-in of an account, including sign-ins of the next seconds. Until then the provider accepts no
 * change from a client, so data looked up now is still valid when the account is changed. A change that revokes ends
 * the freeze.
 * @throws ApiProblem `user-deleted`, 503
 */
export async function freezeAccount(uid: string): Promise<void> {
  const validSince = getNextProviderSecond(FREEZE_SECONDS - 1);
  await callAsAdmin('accounts:update', { localId: uid, validSince: String(validSince) });
}

/**
 * Returns the first email of an account whose user has changed it. Null if there was no other email.
 * @throws ApiProblem 503
 */
export async function getFirstEmail(uid: string): Promise<string | null> {
  const { users } = lookupSchema.parse(await callAsAdmin('accounts:lookup', { localId: [uid] }));
  return users?.[0]?.initialEmail ?? null;
}

type Method = Extract<ProviderOperation, `accounts:${string}`>;

/** Calls the provider's API with the service account. @throws ApiProblem 503 */
async function callAsAdmin(method: Method, body: object): Promise<unknown> {
  const path = `projects/${env().NEXT_PUBLIC_FIREBASE_PROJECT_ID}/${method}`;
  return call(method, body, z.looseObject({}), { path, authorize });
}

async function authorize(): Promise<Record<string, string>> {
  try {
    return { authorization: `Bearer ${await getAdminToken()}` };
  } catch (error) {
    throw providerUnavailable(error);
  }
}

/** Fetches the provider's own password policy. Null if it has none, such as in the emulator. @throws ApiProblem 503 */
export function fetchPasswordPolicy(): Promise<ProviderPasswordPolicy | null> {
  return measureProviderCall('getPasswordPolicy', async () => {
    const response = await send(getUrl('passwordPolicy', 'v2'), { method: 'GET' });
    if (response.status === 404 || response.status === 501) return null;
    if (!response.ok) throw providerUnavailable(new Error(`The identity provider answered ${String(response.status)}`));
    return policySchema.parse(await response.json());
  });
}

/** @throws ApiProblem for the provider's error; 503 for an unexpected response */
function call<T>(
  method: Method,
  body: object,
  schema: z.ZodType<T>,
  { path = method, authorize }: { path?: string; authorize?: () => Promise<Record<string, string>> } = {},
): Promise<T> {
  return measureProviderCall(method, async () => {
    // Both requests share this timeout, because a freeze has a fixed duration (`FREEZE_SECONDS`).
    const signal = abortAfter(REQUEST_TIMEOUT_MS);
    const headers = { 'content-type': 'application/json', ...(await authorize?.()) };
    const init = { method: 'POST', headers, body: JSON.stringify(body), signal };
    const response = await send(getUrl(path, 'v1'), init);
    const responseBody: unknown = await response.json().catch(() => null);
    if (!response.ok) throw readProviderProblem(responseBody);
    const parsed = schema.safeParse(responseBody);
    if (!parsed.success) throw providerUnavailable(parsed.error);
    return parsed.data;
  });
}

function getUrl(method: string, version: 'v1' | 'v2'): URL {
  const { NEXT_PUBLIC_FIREBASE_API_KEY: key, FIREBASE_AUTH_EMULATOR_HOST: emulator } = env();
  const host = 'identitytoolkit.googleapis.com';
  const base = emulator ? `http://${emulator}/${host}` : `https://${host}`;
  return new URL(`${base}/${version}/${method}?${new URLSearchParams({ key }).toString()}`);
}

async function send(address: URL, init: RequestInit & { headers?: Record<string, string> }): Promise<Response> {
  // Operators often restrict API keys to the app's pages by referrer.
  const headers = { referer: `${env().NEXT_PUBLIC_APP_ORIGIN}/`, ...getTraceHeaders(), ...init.headers };
  const sentAt = Date.now();
  try {
    const response = await fetch(address, { signal: abortAfter(REQUEST_TIMEOUT_MS), ...init, headers });
    readProviderClock(response.headers.get('date'), sentAt);
    return response;
  } catch (error) {
    throw providerUnavailable(error);
  }
}

function readProviderProblem(body: unknown): ApiProblem {
  // Messages look like `CODE` or `CODE : explanation`.
  const message = failureSchema.safeParse(body).data?.error.message ?? '';
  const code = ERROR_CODES[message.split(' ')[0] ?? ''];
  if (code) return new ApiProblem(code);
  const answered = new Error(`The identity provider answered ${message}`);
  return providerUnavailable(Object.assign(answered, { code: message.split(' ')[0] }));
}

// The identity provider compares the time of a revocation with the times of its own tokens. Convert a time to its clock
// before comparing the two.

/**
 * Clocks with a smaller difference, in milliseconds, count as the same, because the provider reports its time in whole
 * seconds.
 */
const TOLERATED_MS = 1_000;

/** The minimum and maximum by which the provider's clock is ahead of ours, in milliseconds. */
const skew = () => processWide('provider-clock', () => ({ least: 0, most: 0 }));

/**
 * Reads the provider's clock from a response.
 * @param date its header `Date` (RFC 9110, section 6.6.1), from any moment since the request
 * @param sentAt time of the request by our clock, in milliseconds since 1970
 */
function readProviderClock(date: string | null, sentAt: number): void {
  const told = Date.parse(date ?? '');
  if (Number.isNaN(told)) return;
  const [least, most] = [told - Date.now(), told + 1000 - sentAt];
  const isSame = least <= TOLERATED_MS && most >= -TOLERATED_MS;
  Object.assign(skew(), isSame ? { least: 0, most: 0 } : { least, most });
}

/**
 * Returns the first full second that the provider's clock has not reached, plus `ahead` seconds. In seconds since 1970.
 */
function getNextProviderSecond(ahead = 0): number {
  return Math.floor((Date.now() + skew().most) / 1000) + 1 + ahead;
}

/** Converts our time to the earliest time that the provider's clock can show. In milliseconds since 1970. */
export function toProviderTime(own = Date.now()): number {
  return own + skew().least;
}

/** Converts the provider's time to the latest time that our clock can show. In milliseconds since 1970. */
export function toOwnTime(provider: number): number {
  return provider - skew().least;
}
