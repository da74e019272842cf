import type { PublicEnv } from '@/lib/shared/config/public-env';
import type { NewApp, ScheduledDeletion } from '@/lib/shared/account/security';
import { reportError } from '@/lib/shared/error-reporting/report';
import { renewUser, requireUser } from '../account/account-methods';
import { secondFactorPaths } from '@/lib/shared/security-paths';
import { postJson, type ApiResult } from '../api-client';
import { loadAuth } from '../auth/provider/firebase';
import { announceSignedIn, type SignedIn } from './sign-in';
import { toFactorFailure, type FactorFailure } from './api';

/** A change of the second factor that takes an authentication within 5 minutes. */
export type FactorChange =
  /** `waiting`: not of the signed-in user, but of the sign-in of this browser that waits for it. */
  { kind: 'add'; signIn?: 'waiting' } | { kind: 'codes' } | { kind: 'remove'; id: string };

/** What comes next, or why nothing does. `app`, `codes`: shown now, and in use once one of their codes was entered. */
export type FactorStep =
  | { name: 'app'; app: NewApp }
  | { name: 'codes'; recoveryCodes: string[] }
  /** `signIn`: what the sign-in says that has waited for it. */
  | { name: 'done'; signIn?: ScheduledDeletion }
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

/** @param code of the new app, whose id is `app` */
export function confirmNewApp(change: FactorChange, app: string, code: string): Promise<FactorStep> {
  return attempt('confirm-app', async () => {
    const body = { app, code, signIn: getSignIn(change) };
    // Without codes the account has some: the app is added.
    const result = await postJson<{ recoveryCodes: string[] | null }>(secondFactorPaths.confirmApp, body);
    return toStep(result, ({ recoveryCodes }) =>
      recoveryCodes === null ? { name: 'done' } : toCodes({ recoveryCodes }),
    );
  });
}

/** @param recoveryCode one of those that were shown */
export function confirmNewCodes(env: PublicEnv, change: FactorChange, recoveryCode: string): Promise<FactorStep> {
  return attempt('confirm-codes', async () => {
    const signIn = getSignIn(change);
    if (signIn === undefined) return finish(env, await postJson(secondFactorPaths.confirmCodes, { recoveryCode }));
    // Opens the session of the sign-in that waits for it.
    const result = await postJson<SignedIn>(secondFactorPaths.confirmCodes, { recoveryCode, signIn });
    if (result.ok) await announceSignedIn(result.data);
    return toStep(result, (signIn) => ({ name: 'done', signIn }));
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
