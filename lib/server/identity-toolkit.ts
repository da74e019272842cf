import * as z from 'zod';
import { env } from '@/lib/config/env';
import { ApiProblem, type ProblemCode } from '@/lib/api/problem';
import { providerUnavailable } from './session/provider-errors';

/** How long the provider may take, in milliseconds. */
const PATIENCE = 5_000;

const failureSchema = z.object({ error: z.object({ message: z.string() }) });
const resetSchema = z.object({ email: z.string() });
const signInSchema = z.object({ idToken: z.string() });

/** Verdicts of the provider that its administration SDK has no call for. */
const VERDICTS: Partial<Record<string, ProblemCode>> = {
  EXPIRED_OOB_CODE: 'action-code-expired',
  INVALID_OOB_CODE: 'action-code-invalid',
  EMAIL_NOT_FOUND: 'action-code-invalid',
  USER_DISABLED: 'user-disabled',
  TOO_MANY_ATTEMPTS_TRY_LATER: 'too-many-requests',
  WEAK_PASSWORD: 'password-weak',
  PASSWORD_DOES_NOT_MEET_REQUIREMENTS: 'password-weak',
};

/**
 * Looks at a password-reset code, and with a new password uses it up.
 * @returns the address it was made for
 * @throws ApiProblem `action-code-expired`, `action-code-invalid`, `user-disabled`, `password-weak`, 503
 */
export async function resetPasswordByCode(oobCode: string, newPassword?: string): Promise<string> {
  return (await call('accounts:resetPassword', { oobCode, newPassword }, resetSchema)).email;
}

/** Signs in as a browser would. @returns an ID token. @throws ApiProblem 503 */
export async function idTokenByPassword(email: string, password: string): Promise<string> {
  const body = { email, password, returnSecureToken: true };
  return (await call('accounts:signInWithPassword', body, signInSchema)).idToken;
}

/** @throws ApiProblem by the provider's verdict, 503 for anything but an answer as agreed */
async function call<T>(method: string, body: object, schema: z.ZodType<T>): Promise<T> {
  const { NEXT_PUBLIC_FIREBASE_API_KEY: key, FIREBASE_AUTH_EMULATOR_HOST: emulator } = env();
  const host = 'identitytoolkit.googleapis.com';
  const address = new URL(`/${emulator ? `${host}/` : ''}v1/${method}`, `${emulator ? `http://${emulator}` : `https://${host}`}`); // prettier-ignore
  address.searchParams.set('key', key);
  const response = await send(address, body);
  const answer: unknown = await response.json().catch(() => null);
  if (!response.ok) throw problemOf(answer);
  const agreed = schema.safeParse(answer);
  if (!agreed.success) throw providerUnavailable(agreed.error);
  return agreed.data;
}

async function send(address: URL, body: object): Promise<Response> {
  // Keys are often limited to pages of the app.
  const headers = { 'content-type': 'application/json', referer: `${env().NEXT_PUBLIC_APP_ORIGIN}/` };
  const init = { method: 'POST', headers, body: JSON.stringify(body), signal: AbortSignal.timeout(PATIENCE) };
  try {
    return await fetch(address, init);
  } catch (error) {
    throw providerUnavailable(error);
  }
}

function problemOf(answer: unknown): ApiProblem {
  // Messages look like `CODE` or `CODE : explanation`.
  const message = failureSchema.safeParse(answer).data?.error.message ?? '';
  const code = VERDICTS[message.split(' ')[0] ?? ''];
  return code ? new ApiProblem(code) : providerUnavailable(new Error(`The identity provider answered ${message}`));
}
