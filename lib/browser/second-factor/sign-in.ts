import type { FactorCode, ScheduledDeletion } from '@/lib/shared/account/security';
import type { PasskeySignal } from '@/lib/shared/account/passkeys';
import { promiseTimeout } from '@/lib/shared/promise-timeout';
import { secondFactorPaths } from '@/lib/shared/security-paths';
import type { EmailSent } from '../account/api';
import { postJson, type ApiResult, type CallFailure } from '../api-client';
import { broadcastSecondFactorSignIn } from '../auth/sign-in/required-step';

/** The user of a completed waiting sign-in. */
export type SignedInWithFactor = {
  uid: string;
  email: string | null;
  displayName: string | null;
  signal?: PasskeySignal;
} & ScheduledDeletion;
/** `codesLeft`: remaining codes after a recovery code. Null after an app's code. */
type Shown = { codesLeft: number | null } & ScheduledDeletion;

/** Why a waiting sign-in has ended, so that the user must sign in again. */
export type SignInEnd = 'locked' | 'expired' | 'refused';

/** How long the redirect waits for password managers, in milliseconds. */
const SIGNAL_TIMEOUT_MS = 500;

/**
 * Completes this browser's waiting sign-in, and announces it.
 * @param options `remember`: whether this browser may skip the second factor for 30 days
 */
export async function signInWithFactor(
  factor: FactorCode,
  { remember }: { remember: boolean },
): Promise<ApiResult<Shown>> {
  const body = { ...factor, ...(remember && { remember }) };
  const result = await postJson<SignedInWithFactor & Shown>(secondFactorPaths.signIn, body);
  if (result.ok) await announceSignedIn(result.data);
  return result;
}

/** Shows the second factor of the live session, for a platform that requires it. */
export function stepUpWithFactor(factor: FactorCode): Promise<ApiResult<Shown>> {
  return postJson<Shown>(secondFactorPaths.stepUp, factor);
}

/** Announces a completed sign-in to other tabs, analytics and password managers. */
export async function announceSignedIn({ signal, ...user }: SignedInWithFactor): Promise<void> {
  broadcastSecondFactorSignIn(user);
  if (!signal) return;
  const told = import('../passkeys/signals').then(({ signalPasskeys }) => signalPasskeys(signal));
  await promiseTimeout(told, SIGNAL_TIMEOUT_MS).catch(() => undefined);
}

/** @returns null for a failure that can be retried on the page */
export function getSignInEnd({ code, status, triesLeft }: CallFailure): SignInEnd | null {
  if (code === 'code-locked' || (code === 'code-wrong' && triesLeft === 0)) return 'locked';
  if (code === 'sign-in-expired') return 'expired';
  // For example, the account was disabled in the meantime.
  return status === 401 || status === 403 ? 'refused' : null;
}

export const requestFactorResetCode = () => postJson<EmailSent>(secondFactorPaths.resetCode);

/** @returns when the second factor will be turned off, RFC 3339 */
export const requestFactorReset = (code: string) =>
  postJson<{ effectiveAt: string }>(secondFactorPaths.reset, { code });

/** @returns null for a failure that does not end the sign-in */
export function getResetEnd({ code, status }: CallFailure): SignInEnd | null {
  if (code === 'sign-in-expired') return 'expired';
  return status === 401 ? 'refused' : null;
}
