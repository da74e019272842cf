import type { ProviderAction } from '@/lib/shared/account/email-action';
import type { ApiResult } from '../api-client';
import { redeemSignInLink, verifyByLink, type CallFailure, type VerifiedEmail } from './api';
import type { PublicEnv } from '@/lib/shared/config/public-env';
import { reportError } from '@/lib/shared/error-reporting/report';
import { type AuthErrorCode, type SignInFailure, toAuthErrorCode, toSignInFailure } from '../auth/sign-in/error-codes';
import { signInByEmail } from '../auth/sign-in/sign-in-by-email';
import { takeReturnByLink } from '../auth/link-return';
import { loadAuth } from '../auth/provider/firebase';

/** The identity provider's operation name for each mode. */
const OPERATIONS = {
  resetPassword: 'PASSWORD_RESET',
  signIn: 'EMAIL_SIGNIN',
} as const satisfies Record<ProviderAction['mode'], string>;

/** A link's email address, if the provider reports it. It never does for sign-in links. */
export type Inspection = { ok: true; email: string | null } | { ok: false; code: AuthErrorCode };

/** Checks a link's code without consuming it. */
export async function inspectAction(env: PublicEnv, action: ProviderAction): Promise<Inspection> {
  const code = action.mode === 'signIn' ? action.providerCode : action.code;
  if (code === null) return { ok: false, code: deadCode(action, 'invalid') };
  try {
    const [auth, { checkActionCode }] = await Promise.all([loadAuth(env), import('../auth/provider/sdk')]);
    const { operation, data } = await checkActionCode(auth, code);
    if (operation !== OPERATIONS[action.mode]) return { ok: false, code: deadCode(action, 'invalid') };
    return { ok: true, email: data.email ?? null };
  } catch (error) {
    return { ok: false, code: toActionFailure(error, action) };
  }
}

/**
 * Confirms an email address by a link, then reloads the provider's user in this browser (docs/product.md#states).
 * @param password the new password, for a link that was not requested in this browser
 * @returns also how this browser can sign in, if it registered the account
 */
export async function verifyEmail(env: PublicEnv, code: string, password?: string): Promise<ApiResult<VerifiedEmail>> {
  const result = await verifyByLink(code, password);
  if (!result.ok) return result;
  try {
    const auth = await loadAuth(env);
    await auth.authStateReady();
    await auth.currentUser?.reload();
  } catch {
    // Not a failure. The confirmation may have revoked this browser's sign-in at the provider, and then the SDK signs
    // the user out.
  }
  return result;
}

/** Signs in with a link, opens the session and redirects. @returns null when the redirect is in progress */
export async function signInByLink(
  env: PublicEnv,
  action: ProviderAction,
  email: string,
): Promise<SignInFailure | null> {
  takeReturnByLink(email);
  try {
    const result = await signInByEmail(env, () => redeemSignInLink(action.code, email));
    return result !== null && 'status' in result ? toLinkFailure(result) : result;
  } catch (error) {
    return { code: toActionFailure(error, action), retryAfter: null };
  }
}

/** Error codes specific to the sign-in link endpoint. */
const LINK_CODES: Partial<Record<string, AuthErrorCode>> = {
  'action-code-expired': 'auth/invalid-action-code',
  'action-code-invalid': 'auth/invalid-action-code',
  'link-email-wrong': 'auth/invalid-email-for-sign-in-link',
};

function toLinkFailure(failure: CallFailure): SignInFailure {
  const code = LINK_CODES[failure.code];
  return code === undefined ? toSignInFailure(failure) : { code, retryAfter: failure.retryAfter };
}

function toActionFailure(error: unknown, action: ProviderAction): AuthErrorCode {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  if (code === 'auth/expired-action-code') return deadCode(action, 'expired');
  if (code === 'auth/invalid-action-code' || code === 'auth/user-not-found') return deadCode(action, 'invalid');
  const mapped = toAuthErrorCode(error);
  if (mapped === 'unknown') reportError(error, { during: `the email action ${action.mode}` });
  return mapped;
}

function deadCode({ mode }: ProviderAction, why: 'expired' | 'invalid'): AuthErrorCode {
  if (mode === 'signIn') return 'auth/invalid-action-code';
  return why === 'expired' ? 'EXPIRED_OOB_CODE' : 'INVALID_OOB_CODE';
}
