import { recoveryEmailPaths } from '@/lib/shared/account/recovery-email';
import type { PublicEnv } from '@/lib/shared/config/public-env';
import { reportError } from '@/lib/shared/error-reporting/report';
import { securityApiPaths } from '@/lib/shared/security-paths';
import { postJson, type ApiResult, type CallFailure } from '../api-client';
import { loadAuth } from '../auth/provider/firebase';
import { needsProof } from './account-data';
import { leaveIfSignedOut, requireUser } from './account-methods';
import type { EmailSent } from './api';
import { followEmailChange } from './follow-email-change';

/** Why no code was sent. `same-email`: the account has this email already. */
export type EmailChangeFailure = CallFailure | { ok: false; code: 'same-email'; retryAfter: null };

/** `main`: the email becomes the account's. `recovery`: it becomes the recovery email. */
export type EmailUse = 'main' | 'recovery';

/**
 * Asks for a code at the new email.
 * @param env only after a proof, whose ID token is sent
 * @returns when another one can be sent, or the failure; `proof-required` if the user must re-authenticate first
 */
export async function requestEmailChange(
  { email, use }: { email: string; use: EmailUse },
  account: { email: string | null },
  env?: PublicEnv,
): Promise<ApiResult<EmailSent> | EmailChangeFailure | 'proof-required'> {
  if (email === account.email) return { ok: false, code: 'same-email', retryAfter: null };
  return postProved<EmailSent>(securityApiPaths.accountEmail, { email, use }, account, env);
}

/** Posts a change that needs a recent sign-in. @param env only after a proof, whose ID token is sent */
async function postProved<T>(
  path: string,
  body: Record<string, string>,
  account: { email: string | null },
  env: PublicEnv | undefined,
): Promise<ApiResult<T> | 'proof-required'> {
  const token = env && (await getToken(env));
  if (token === null) return 'proof-required';
  const result = await postJson<T>(path, { ...body, ...(token && { token }) });
  if (result.ok) return result;
  if (needsProof(result.code)) return 'proof-required';
  if (result.status === 401) await leaveIfSignedOut(account.email);
  return result;
}

async function getToken(env: PublicEnv): Promise<string | null> {
  try {
    return await requireUser(await loadAuth(env)).getIdToken();
  } catch (error) {
    if (!(error instanceof Error && error.message === 'No user logged in!'))
      reportError(error, { during: 'asking for another email' });
    return null;
  }
}

/** Changes the email, or adds the recovery email, with the code of the new mailbox. @returns null when it is done */
export async function confirmEmailChange(
  env: PublicEnv,
  code: string,
  account: { email: string | null },
  { email, use }: { email: string; use: EmailUse },
): Promise<CallFailure | null> {
  const result = await postJson<{ customToken?: string }>(securityApiPaths.confirmAccountEmail, { code });
  if (!result.ok) {
    if (result.status === 401) await leaveIfSignedOut(account.email);
    return result;
  }
  if (use === 'main') await followEmailChange(env, result.data.customToken, { from: account.email, to: email });
  return null;
}

export type RecoveryChange = 'use' | 'remove';

/**
 * Removes the recovery email, or makes it the account's email.
 * @param isProved after a proof, whose ID token is sent
 * @returns null when it is done; `proof-required` if the user must re-authenticate first
 */
export async function changeRecoveryEmail(
  env: PublicEnv,
  { change, email }: { change: RecoveryChange; email: string },
  account: { email: string | null },
  isProved = false,
): Promise<CallFailure | 'proof-required' | null> {
  const result = await postProved<{ customToken?: string }>(
    recoveryEmailPaths.change,
    { change },
    account,
    isProved ? env : undefined,
  );
  if (result === 'proof-required' || !result.ok) return result;
  if (change === 'use') await followEmailChange(env, result.data.customToken, { from: account.email, to: email });
  return null;
}
