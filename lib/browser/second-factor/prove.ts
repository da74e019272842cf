import type { Auth } from 'firebase/auth';
import type { FactorCode } from '@/lib/shared/account/second-factor';
import { rememberProvider } from '../auth/pending';
import { proveCode, toFactorFailure, type FactorFailure } from './api';

/**
 * The signed-in user shows a code after the first factor, before a change of the account: signs in at the identity provider
 * with both.
 * @param token ID token of the first factor
 * @returns null when the user is verified
 */
export async function proveSecondFactor(auth: Auth, token: string, code: FactorCode): Promise<FactorFailure | null> {
  const proved = await proveCode(token, code);
  if (!proved.ok) return toFactorFailure(proved);
  const { signInWithCustomToken } = await import('../auth/provider/sdk');
  await signInWithCustomToken(auth, proved.data.customToken);
  rememberProvider();
  return null;
}
