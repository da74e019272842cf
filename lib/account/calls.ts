import { postJson, type ApiAnswer } from '@/lib/api/client';
import { apiPaths } from '@/lib/paths';
import type { RegistrationValues } from './registration-schema';

/** Why a call about an account did not do what was asked. */
export type CallFailure = Extract<ApiAnswer<unknown>, { ok: false }>;

/** A code is on its way; `resendAfter` is in seconds. */
export type CodeSent = { resendAfter: number };

export const registerAccount = (values: RegistrationValues) => postJson<CodeSent>(apiPaths.registration, values);
export const resendConfirmation = () => postJson<CodeSent>(apiPaths.resendConfirmation);
export const confirmEmail = (code: string) => postJson<{ customToken: string }>(apiPaths.confirmEmail, { code });
/** @param token ID token of someone with the right password and an unconfirmed address */
export const requestConfirmation = (token: string) => postJson<CodeSent>(apiPaths.requestConfirmation, { token });

export const requestReset = (email: string) => postJson<CodeSent>(apiPaths.passwordReset, { email });
export const resendReset = () => postJson<CodeSent>(apiPaths.resendReset);
export const confirmReset = (code: string, password: string) => postJson(apiPaths.confirmReset, { code, password });
export const resetByLink = (oobCode: string, password: string) => postJson(apiPaths.resetByLink, { oobCode, password });
export const sendSignInHelp = (email: string) => postJson<CodeSent>(apiPaths.signInHelp, { email });

export const requestSignInLink = (email: string) => postJson<CodeSent>(apiPaths.emailLink, { email });

/** @param token ID token of a password sign-in at most 5 minutes old */
export const setAccountPassword = (token: string, password: string) =>
  postJson(apiPaths.accountPassword, { token, password });

/** A call's failure as a value for a form, or null when it went well. */
export function failureOf(answer: ApiAnswer<unknown>): CallFailure | null {
  return answer.ok ? null : answer;
}
