import { randomUUID } from 'node:crypto';
import { nullOnProblem } from '@/lib/shared/problem';
import {
  isActionMode,
  LINK_CODE_MAX,
  type AnnouncedSignIn,
  type ActionMode,
  type EmailAction,
  type EmailVerification,
  type LinkedEmailChange,
  type ScheduledChange,
} from '@/lib/shared/account/email-action';
import { env, getClientAddress, getPublicEnv, getSealingKeys } from '@/lib/server/runtime';
import {
  readCookie,
  appendCookies,
  applySharedComputerExpiry,
  buildSetCookie,
  readHostCookie,
  type RequestCookies,
  isFlowId,
} from '@/lib/server/http';
import {
  inspectDeletionLink,
  inspectDisavowalLink,
  inspectEmailChange,
  inspectEmailUndo,
  readProviderCode,
  readPendingRegistration,
  getFlowToken,
  getFlowTokens,
  inspectEmailVerification,
  readNewAccounts,
  isResetLinkOver,
} from '@/lib/server/accounts';
import { inspectResetLink } from '@/lib/server/second-factor';
import { LIFETIME } from '@/lib/shared/browser-cookies';
import { getCallbackPolicy } from '@/lib/shared/config/public-env';
import { paths } from '@/lib/shared/paths';
import { actionQuery } from '@/lib/shared/security-paths';
import { consumeLimit } from '@/lib/server/storage';
import { redirectByGet, validateRequestedCallback, type PageContext, type Loading } from './page';
import { readSignInLink, sealShort, unseal } from '@/lib/server/codes';
import { digestFlowBrowser, readDevice } from '@/lib/server/session';

export type ActionProps = {
  /** Null for a URL without a usable link. */
  action: EmailAction | null;
  /**
   * Status of a confirmation link. Null for other links, while the provider is unavailable, and beyond the rate limit.
   */
  verification: EmailVerification | null;
  /** State of a link that keeps an account or its second factor. Null for other links. */
  scheduled: ScheduledChange | null;
  /** State of a link that changes the account's email, or undoes it. Null for other links. */
  emailChange: LinkedEmailChange | null;
  /** State of a link that disavows a sign-in. Null for other links. */
  signIn: AnnouncedSignIn | null;
  /** Emails for which this browser requested a message. Null if it did not. */
  askedFor: { confirmation: string | null; signIn: string | null };
};

/**
 * Loads /actions. It moves the code out of the URL before a page is rendered, so that the code appears in no history
 * entry, referrer, analytics event or error report (docs/adr/0009). The code is not redeemed yet, because mail scanners
 * also open links.
 */
export async function loadActionStep(context: PageContext): Loading<ActionProps> {
  const { query, res, req } = context;
  res.setHeader('referrer-policy', 'no-referrer');
  if (query[actionQuery.code] !== undefined) {
    await keepAction(context);
    return redirectByGet(paths.actions);
  }
  const kept = await readKeptAction(readHostCookie(req, 'emailAction'));
  const action = kept && (await toAction(kept));
  const verification =
    action?.mode === 'verifyEmail' ? await nullOnProblem(inspectConfirmation(req, action.code)) : null;
  const scheduled = action && (await inspectScheduled(action));
  const emailChange = action && (await inspectEmail(action));
  const signIn = action?.mode === 'disavowSignIn' ? await inspectDisavowalLink(action.code) : null;
  const askedFor = {
    confirmation: await getCleanAddress(await getFlowToken(req, 'confirm-email', undefined)),
    signIn: kept?.mode === 'signIn' ? await getSignInEmail(req, kept.code) : null,
  };
  return { props: { action, verification, scheduled, emailChange, signIn, askedFor } };
}

/** Counts the call first, because a code that we did not issue causes a call to the identity provider. */
async function inspectConfirmation(req: PageContext['req'], code: string): Promise<EmailVerification> {
  await consumeLimit('open-link', getClientAddress(req));
  const [tokens, newAccounts] = await Promise.all([getFlowTokens(req, 'confirm-email'), readNewAccounts(req)]);
  return inspectEmailVerification(code, { tokens, newAccounts });
}

async function inspectScheduled({ mode, code }: EmailAction): Promise<ScheduledChange | null> {
  if (mode === 'keepAccount') return inspectDeletionLink(code);
  return mode === 'keepSecondFactor' ? inspectResetLink(code) : null;
}

async function inspectEmail({ mode, code }: EmailAction): Promise<LinkedEmailChange | null> {
  if (mode === 'changeEmail') return inspectEmailChange(code);
  return mode === 'undoEmailChange' ? inspectEmailUndo(code) : null;
}

async function keepAction({ query, req, res }: PageContext): Promise<void> {
  const [mode, code] = [query[actionQuery.mode], query[actionQuery.code]];
  const isUsable = isActionMode(mode) && typeof code === 'string' && code !== '' && code.length <= LINK_CODE_MAX;
  const flow = query[actionQuery.flow];
  const payload: Record<string, string> = isUsable ? { mode, code, ...(isFlowId(flow) && { flow }) } : {};
  const exp = Math.floor(Date.now() / 1000) + LIFETIME.veryShort;
  const sealed = await sealShort(
    { jti: randomUUID(), mark: '', payload, exp },
    getSealingKeys(env().TOKEN_ENCRYPTION_SECRET, 'email-action'),
  );
  const cookies = [buildSetCookie('emailAction', sealed)];
  // Stores the callback URL of the original flow, for a user who continues on another device. A visit without a
  // callback has the default stored, which is replaced.
  const callback = validateRequestedCallback(query[actionQuery.continueUrl]);
  const { dashboardUrl } = getCallbackPolicy(getPublicEnv());
  const isFree = (readCookie(req, 'callbackUrl') || dashboardUrl) === dashboardUrl;
  if (callback.accepted && isFree) cookies.push(buildSetCookie('callbackUrl', callback.url));
  appendCookies(res, applySharedComputerExpiry(req, cookies));
}

type KeptAction = { mode: ActionMode; code: string; flow: string | undefined };

async function toAction({ mode, code }: KeptAction): Promise<EmailAction> {
  if (mode === 'resetPassword' && (await nullOnProblem(isResetLinkOver(code)))) return { mode, code, isOver: true };
  if (mode !== 'signIn') return { mode, code };
  return { mode, code, providerCode: await nullOnProblem(readProviderCode(code)) };
}

async function readKeptAction(sealed: string | undefined): Promise<KeptAction | null> {
  if (!sealed) return null;
  const keys = getSealingKeys(env().TOKEN_ENCRYPTION_SECRET, 'email-action');
  const { mode, code, flow } = (await nullOnProblem(unseal(sealed, keys)))?.payload ?? {};
  return isActionMode(mode) && code !== undefined ? { mode, code, flow } : null;
}

/**
 * Returns the email of a sign-in link that this browser requested. Null in another browser, where the page asks for the
 * email. The link contains this fact, because an attacker could plant a cookie that signs the user in to another
 * account.
 */
async function getSignInEmail(req: RequestCookies, code: string): Promise<string | null> {
  const link = await nullOnProblem(readSignInLink(code));
  return link && link.browser !== '' && link.browser === digestFlowBrowser(readDevice(req)) ? link.email : null;
}

async function getCleanAddress(token: string | undefined): Promise<string | null> {
  return (await nullOnProblem(readPendingRegistration(token)))?.email ?? null;
}
