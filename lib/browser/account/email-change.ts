import type { PublicEnv } from '@/lib/shared/config/public-env';
import { reportError } from '@/lib/shared/error-reporting/report';
import { securityApiPaths } from '@/lib/shared/security-paths';
import { postJson, type CallFailure } from '../api-client';
import { loadAuth } from '../auth/provider/firebase';
import { changeRememberedAccount } from '../auth/sign-in/remembered-accounts';
import { broadcast } from '../session/state';
import { needsProof } from './account-data';
import { renewUser } from '../auth/provider/renew-user';
import { leaveIfSignedOut, requireUser } from './account-methods';
import type { EmailSent } from './api';

/** Why no code was sent. `same-email`: the account has this email already. */
export type EmailChangeFailure = CallFailure | { code: 'same-email'; retryAfter: null };

/**
 * Asks for a code at the new email.
 * @param env only after a proof, whose ID token is sent
 * @returns null when it was sent; `proof-required` if the user must re-authenticate first
 */
export async function requestEmailChange(
  email: string,
  account: { email: string | null },
  env?: PublicEnv,
): Promise<EmailChangeFailure | 'proof-required' | null> {
  if (email === account.email) return { code: 'same-email', retryAfter: null };
  const token = env && (await getToken(env));
  if (token === null) return 'proof-required';
  const result = await postJson<EmailSent>(securityApiPaths.accountEmail, { email, ...(token && { token }) });
  if (result.ok) return null;
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

/** Changes the email with the code that the new mailbox has got. @returns null when it is done */
export async function confirmEmailChange(
  env: PublicEnv,
  code: string,
  account: { email: string | null },
  to: string,
): Promise<CallFailure | null> {
  const result = await postJson<{ customToken?: string }>(securityApiPaths.confirmAccountEmail, { code });
  if (!result.ok) {
    if (result.status === 401) await leaveIfSignedOut(account.email);
    return result;
  }
  await renewUser(env, result.data.customToken);
  if (account.email !== null) changeRememberedAccount(account.email, { email: to });
  broadcast('session-changed');
  return null;
}
