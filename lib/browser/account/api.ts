import { postJson } from '@/lib/browser/api-client';
import { apiPaths } from '@/lib/shared/api-paths';
import { secondFactorPaths, securityApiPaths } from '@/lib/shared/security-paths';
import type { ScheduledDeletion } from '@/lib/shared/account/security';
import type { Registration } from '@/lib/shared/account/registration-schema';

export type { CallFailure } from '@/lib/browser/api-client';

/** An email was sent. `resendAfter` is in seconds. */
export type EmailSent = { resendAfter: number };
/** A code was sent. The pages of its flow have `flow` in their addresses (docs/adr/0022). */
export type CodeSent = EmailSent & { flow?: string };

export const registerAccount = (values: Registration) => postJson<CodeSent>(apiPaths.registration, values);
export const resendConfirmation = (flow: string) => postJson<CodeSent>(apiPaths.resendConfirmation, { flow });
export const confirmEmail = (flow: string, code: string) =>
  postJson<{ customToken: string }>(apiPaths.confirmEmail, { flow, code });

export const requestPasswordReset = (email: string) => postJson<CodeSent>(apiPaths.passwordReset, { email });
export const resendReset = (flow: string) => postJson<CodeSent>(apiPaths.resendReset, { flow });
/**
 * The password is set. `customToken` signs in, `step` is the second factor that the sign-in still needs. With neither, the
 * user signs in separately.
 */
/** `email`: the account's email, after a reset by its recovery email, which signs in no one. */
export type PasswordReset = { customToken?: string; step?: string; email?: string };
export const confirmReset = (flow: string, code: string, password: string) =>
  postJson<PasswordReset>(apiPaths.confirmReset, { flow, code, password });
export const resetByLink = (oobCode: string, password: string) =>
  postJson<PasswordReset>(apiPaths.resetByLink, { oobCode, password });
/** Only the browser that registered gets these: a `customToken` if it can sign in, and the registration's `method` and `flow`. */
export type VerifiedEmail = { customToken?: string; method?: string; flow?: string };
/** Confirms an email. @param password the new password, if this browser did not request the link */
export const verifyByLink = (code: string, password?: string) =>
  postJson<VerifiedEmail>(apiPaths.verifyByLink, { code, password });
export const sendSignInHelp = (email: string) => postJson<EmailSent>(apiPaths.signInHelp, { email });

export const requestSignInLink = (email: string) =>
  postJson<EmailSent & { flow: string }>(apiPaths.emailLink, { email });
export const redeemSignInCode = (flow: string, code: string) =>
  postJson<{ customToken: string }>(apiPaths.signInByCode, { flow, code });
export const redeemSignInLink = (code: string, email: string) =>
  postJson<{ customToken: string }>(apiPaths.signInByLink, { code, email });

export const changeAccountName = (name: string) => postJson(securityApiPaths.accountName, { name });
/** The password is set. If `signedIn` is false, no session could be created. */
export type PasswordSet = { signedIn: boolean } & ScheduledDeletion;
export const changeAccountPassword = (current: string, password: string) =>
  postJson<PasswordSet>(securityApiPaths.accountPassword, { current, password });
/** Sets the first password. @param token ID token of a sign-in with the old password or an email link, at most 5 minutes old */
export const setFirstAccountPassword = (token: string, password: string) =>
  postJson<PasswordSet>(securityApiPaths.firstPassword, { token, password });

/** Downloads the account's data. @param token ID token of a sign-in at most 5 minutes ago */
export const fetchAccountData = (token: string) =>
  postJson<Record<string, unknown>>(securityApiPaths.accountData, { token });
export const requestDeletion = (token: string) =>
  postJson<{ effectiveAt: string; customToken?: string }>(securityApiPaths.deleteAccount, { token });
export const keepAccount = () => postJson(securityApiPaths.keepAccount);
/**
 * Answers whether a sign-in was the user's own.
 * @param token ID token of a sign-in at most 5 minutes ago, required if it was not
 * @returns the code with which this session can undo the sign-in
 */
export const checkSignIn = (session: string, isOwn: boolean, token?: string) =>
  postJson<{ code?: string }>(securityApiPaths.checkSignIn, { session, isOwn, ...(token !== undefined && { token }) });
/** `email`: the owner's email, for the password reset that follows. `asksMailbox`: nothing was undone, but a new link was emailed. */
export type Disavowed = { email: string | null; asksMailbox?: true };
export const disavowSignIn = (code: string) => postJson<Disavowed>(securityApiPaths.disavowSignIn, { code });
/** @param code of the link that the former mailbox has got */
export const undoEmailChange = (code: string) =>
  postJson<{ done: 'cancel' | 'restore' | 'remove' }>(securityApiPaths.undoEmailChange, { code });
export const keepAccountByLink = (code: string) => postJson(securityApiPaths.keepByLink, { code });
export const keepSecondFactorByLink = (code: string) => postJson(secondFactorPaths.cancelResetByLink, { code });
