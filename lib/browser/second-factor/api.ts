import type { FactorCode, NewApp } from '@/lib/shared/account/second-factor';
import { secondFactorPaths } from '@/lib/shared/second-factor-paths';
import type { SignedIn } from './sign-in';
import { postJson } from '../api-client';

/** With a custom token, the change has revoked the tokens of this browser, too. */
type Changed = { customToken?: string };

/** @param token ID token of a first factor at most 5 minutes ago */
export const proveCode = (token: string, code: FactorCode) =>
  postJson<{ customToken: string }>(secondFactorPaths.prove, { token, ...code });

/** @param token ID token of a sign-in with all factors at most 5 minutes ago; not needed when the session is that young */
export const requestNewApp = (token?: string, signIn?: 'waiting') =>
  postJson<NewApp>(secondFactorPaths.addApp, { token, signIn });
/** @returns null instead of codes when the account has some: the app is added then */
export const confirmApp = (code: string, signIn?: 'waiting') =>
  postJson<{ recoveryCodes: string[] | null }>(secondFactorPaths.confirmApp, { code, signIn });

/** @param token as of `requestNewApp` */
export const requestRecoveryCodes = (token?: string) =>
  postJson<{ recoveryCodes: string[] }>(secondFactorPaths.recoveryCodes, { token });
export const confirmRecoveryCodes = (recoveryCode: string) =>
  postJson<Changed>(secondFactorPaths.confirmCodes, { recoveryCode });
/** For a sign-in that waits for it: opens its session. */
export const confirmCodesOfSignIn = (recoveryCode: string) =>
  postJson<SignedIn>(secondFactorPaths.confirmCodes, { recoveryCode, signIn: 'waiting' });

/** Keeps a second factor that is about to be turned off. */
export const cancelReset = () => postJson(secondFactorPaths.cancelReset);

/** @param token as of `requestNewApp` */
export const removeApp = (id: string, token?: string) => postJson<Changed>(secondFactorPaths.removeApp, { id, token });
