import type { PublicEnv } from '@/lib/shared/config/public-env';
import type { NewApp, ScheduledDeletion } from '@/lib/shared/account/security';
import { reportError } from '@/lib/shared/error-reporting/report';
import { requireUser } from '../account/account-methods';
import { renewUser } from '../auth/provider/renew-user';
import { secondFactorPaths } from '@/lib/shared/security-paths';
import { postJson, type ApiResult } from '../api-client';
import { loadAuth } from '../auth/provider/firebase';
import { announceSignedIn, type SignedInWithFactor } from './sign-in';
import { toFactorFailure, type FactorFailure } from './api';

/** A change of the second factor, which requires an authentication within 5 minutes. */
export type FactorChange =
  /** `waiting`: the change belongs to this browser's waiting sign-in and not to the signed-in user. */
  { kind: 'add'; signIn?: 'waiting' } | { kind: 'codes' } | { kind: 'remove'; id: string };

/**
 * The next step, or a failure. `app`, `codes`: data to show now, which is in use once the user has entered a code of
 * it.
 */
export type FactorStep =
  | { name: 'app'; app: NewApp }
  | { name: 'codes'; recoveryCodes: string[] }
  /** `signIn`: the response of the sign-in that was waiting. */
  | { name: 'done'; signIn?: ScheduledDeletion }
  | { name: 'failed'; failure: FactorFailure };

/**
 * Begins a change of the signed-in user's second factor. A removal is complete at once.
 * @param isProved whether the user has just re-authenticated at the identity provider; not needed if the session is
 *   recent
 */
export function beginFactorChange(env: PublicEnv, change: FactorChange, isProved: boolean): Promise<FactorStep> {
  return attempt(change.kind, async () => {
    const token = isProved ? await requireUser(await loadAuth(env)).getIdToken() : undefined;
    switch (change.kind) {
      case 'add':
        return toStep(await postJson<NewApp>(secondFactorPaths.addApp, { token, signIn: change.signIn }), (app) => ({
          name: 'app',
          app,
        }));
      case 'codes':
        return toStep(await postJson<NewCodes>(secondFactorPaths.recoveryCodes, { token }), toCodes);
      case 'remove':
        return finish(env, await postJson(secondFactorPaths.removeApp, { id: change.id, token }));
    }
  });
}

type NewCodes = { recoveryCodes: string[] };
const toCodes = ({ recoveryCodes }: NewCodes): FactorStep => ({ name: 'codes', recoveryCodes });

/** @param app id of the new app @param code a code of the new app */
export function confirmNewApp(change: FactorChange, app: string, code: string): Promise<FactorStep> {
  return attempt('confirm-app', async () => {
    const body = { app, code, signIn: getSignIn(change) };
    // If no codes are returned, the account already has some, and the app is added.
    const result = await postJson<{ recoveryCodes: string[] | null }>(secondFactorPaths.confirmApp, body);
    return toStep(result, ({ recoveryCodes }) =>
      recoveryCodes === null ? { name: 'done' } : toCodes({ recoveryCodes }),
    );
  });
}

/** @param recoveryCode a recovery code that was shown */
export function confirmNewCodes(env: PublicEnv, change: FactorChange, recoveryCode: string): Promise<FactorStep> {
  return attempt('confirm-codes', async () => {
    const signIn = getSignIn(change);
    if (signIn === undefined) return finish(env, await postJson(secondFactorPaths.confirmCodes, { recoveryCode }));
    // Opens the session of the waiting sign-in.
    const result = await postJson<SignedInWithFactor>(secondFactorPaths.confirmCodes, { recoveryCode, signIn });
    if (result.ok) await announceSignedIn(result.data);
    return toStep(result, (signIn) => ({ name: 'done', signIn }));
  });
}

/** Returns the sign-in that a change belongs to, or undefined for the signed-in user. */
export function getSignIn(change: FactorChange): 'waiting' | undefined {
  return change.kind === 'add' ? change.signIn : undefined;
}

async function finish(env: PublicEnv, result: ApiResult<{ customToken?: string }>): Promise<FactorStep> {
  // The change has also revoked the tokens of this browser.
  if (result.ok && result.data.customToken !== undefined) await renewUser(env, result.data.customToken);
  return toStep(result, () => ({ name: 'done' }));
}

function toStep<T>(result: ApiResult<T>, getStep: (data: T) => FactorStep): FactorStep {
  return result.ok ? getStep(result.data) : { name: 'failed', failure: toFactorFailure(result) };
}

async function attempt(during: string, work: () => Promise<FactorStep>): Promise<FactorStep> {
  try {
    return await work();
  } catch (error) {
    const isSignedOut = error instanceof Error && error.message === 'No user logged in!';
    if (!isSignedOut) reportError(error, { during: `changing the second factor: ${during}` });
    const factor = isSignedOut ? 'recent-login-required' : 'unknown';
    return { name: 'failed', failure: { factor, retryAfter: null, triesLeft: null } };
  }
}
