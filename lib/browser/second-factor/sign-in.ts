import type { FactorCode, ScheduledDeletion } from '@/lib/shared/account/security';
import type { PasskeySignal } from '@/lib/shared/account/passkeys';
import { promiseTimeout } from '@/lib/shared/promise-timeout';
import { secondFactorPaths } from '@/lib/shared/security-paths';
import type { EmailSent } from '../account/api';
import { postJson, type ApiResult, type CallFailure } from '../api-client';
import { broadcastSecondFactorSignIn } from '../auth/sign-in/required-step';

/** The user of a sign-in that has waited. */
export type SignedIn = {
  uid: string;
  email: string | null;
  displayName: string | null;
  signal?: PasskeySignal;
} & ScheduledDeletion;
/** `codesLeft`: after a recovery code, how many there are left; null after a code of an app. */
type Shown = { codesLeft: number | null } & ScheduledDeletion;

/** Why a pending sign-in is over: only a new one leads on. */
export type SignInEnd = 'locked' | 'expired' | 'refused';

/** How long the redirect waits for password managers, in milliseconds. */
const SIGNAL_TIMEOUT_MS = 500;

/**
 * Completes the pending sign-in of this browser, and announces it.
 * @param options `remember`: this browser is not asked again for 30 days
 */
export async function signInWithFactor(
  factor: FactorCode,
  { remember }: { remember: boolean },
): Promise<ApiResult<Shown>> {
  const body = { ...factor, ...(remember && { remember }) };
  const result = await postJson<SignedIn & Shown>(secondFactorPaths.signIn, body);
  if (result.ok) await announceSignedIn(result.data);
  return result;
}

/** Shows the second factor of the live session, for a platform that asks for it. */
export function stepUpWithFactor(factor: FactorCode): Promise<ApiResult<Shown>> {
  return postJson<Shown>(secondFactorPaths.stepUp, factor);
}

/** Announces a sign-in that has waited, here and to password managers. */
export async function announceSignedIn({ signal, ...user }: SignedIn): Promise<void> {
  broadcastSecondFactorSignIn(user);
  if (!signal) return;
  const told = import('../passkeys/signals').then(({ signalPasskeys }) => signalPasskeys(signal));
  await promiseTimeout(told, SIGNAL_TIMEOUT_MS).catch(() => undefined);
}

/** @returns null for a failure that can be retried on the page */
export function getSignInEnd({ code, status, triesLeft }: CallFailure): SignInEnd | null {
  if (code === 'code-locked' || (code === 'code-wrong' && triesLeft === 0)) return 'locked';
  if (code === 'sign-in-expired') return 'expired';
  // Such as an account that was disabled in the meantime.
  return status === 401 || status === 403 ? 'refused' : null;
}

export const requestResetCode = () => postJson<EmailSent>(secondFactorPaths.resetCode);

/** @returns when the second factor is turned off, RFC 3339 */
export const requestReset = (code: string) => postJson<{ effectiveAt: string }>(secondFactorPaths.reset, { code });

/** @returns null for a failure that leaves the sign-in as it is */
export function getResetEnd({ code, status }: CallFailure): SignInEnd | null {
  if (code === 'sign-in-expired') return 'expired';
  return status === 401 ? 'refused' : null;
}
