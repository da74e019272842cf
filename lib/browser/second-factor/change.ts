import type { PublicEnv } from '@/lib/shared/config/public-env';
import type { NewApp } from '@/lib/shared/account/security';
import { reportError } from '@/lib/shared/error-reporting/report';
import { renewUser, requireUser } from '../account/account-methods';
import type { ApiResult } from '../api-client';
import { loadAuth } from '../auth/provider/firebase';
import { announceSignedIn } from './sign-in';
import {
  confirmApp,
  confirmCodesOfSignIn,
  confirmRecoveryCodes,
  removeApp,
  requestNewApp,
  requestRecoveryCodes,
  toFactorFailure,
  type FactorFailure,
} from './api';

/** A change of the second factor that takes an authentication within 5 minutes. */
export type FactorChange =
  /** `waiting`: not of the signed-in user, but of the sign-in of this browser that waits for it. */
  { kind: 'add'; signIn?: 'waiting' } | { kind: 'codes' } | { kind: 'remove'; id: string };

/** What comes next, or why nothing does. `app`, `codes`: shown now, and in use once one of their codes was entered. */
export type FactorStep =
  | { name: 'app'; app: NewApp }
  | { name: 'codes'; recoveryCodes: string[] }
  | { name: 'done' }
  | { name: 'failed'; failure: FactorFailure };

/**
 * Begins a change of the signed-in user's second factor; a removal is done at once.
 * @param isProved the user has just authenticated again at the identity provider; not needed when the session is young
 */
export function beginFactorChange(env: PublicEnv, change: FactorChange, isProved: boolean): Promise<FactorStep> {
  return attempt(change.kind, async () => {
    const token = isProved ? await requireUser(await loadAuth(env)).getIdToken() : undefined;
    switch (change.kind) {
      case 'add':
        return toStep(await requestNewApp(token, change.signIn), (app) => ({ name: 'app', app }));
      case 'codes':
        return toStep(await requestRecoveryCodes(token), ({ recoveryCodes }) => ({ name: 'codes', recoveryCodes }));
      case 'remove':
        return finish(env, await removeApp(change.id, token));
    }
  });
}

/** @param code of the new app, whose id is `app` */
export function confirmNewApp(change: FactorChange, app: string, code: string): Promise<FactorStep> {
  return attempt('confirm-app', async () =>
    toStep(await confirmApp(app, code, getSignIn(change)), ({ recoveryCodes }) =>
      recoveryCodes === null ? { name: 'done' } : { name: 'codes', recoveryCodes },
    ),
  );
}

/** @param recoveryCode one of those that were shown */
export function confirmNewCodes(env: PublicEnv, change: FactorChange, recoveryCode: string): Promise<FactorStep> {
  return attempt('confirm-codes', async () => {
    if (getSignIn(change) === undefined) return finish(env, await confirmRecoveryCodes(recoveryCode));
    const result = await confirmCodesOfSignIn(recoveryCode);
    if (result.ok) await announceSignedIn(result.data);
    return toStep(result, () => ({ name: 'done' }));
  });
}

/** Whose change it is: undefined for the signed-in user. */
export function getSignIn(change: FactorChange): 'waiting' | undefined {
  return change.kind === 'add' ? change.signIn : undefined;
}

async function finish(env: PublicEnv, result: ApiResult<{ customToken?: string }>): Promise<FactorStep> {
  // The change has revoked the tokens of this browser, too.
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
