import { nullOnProblem } from '@/lib/shared/problem';
import { PASSKEY_METHOD } from '@/lib/shared/sign-in-methods';
import { resolveCallback } from '@/lib/shared/callback/rules';
import { getPublicEnv } from '@/lib/server/runtime';
import { getCallbackPolicy } from '@/lib/shared/config/public-env';
import { paths, pathWithFlow, queryNames } from '@/lib/shared/paths';
import {
  awaitsPasskey,
  getFlowToken,
  readPendingRegistration,
  readPendingReset,
  RESEND_AFTER_SECONDS,
} from '@/lib/server/accounts';
import { readCookie, isFlowId } from '@/lib/server/http';
import { CODE_TTL_SECONDS, type FlowPurpose, type ReadToken } from '@/lib/server/codes';
import { getSessionCookie, requireSession } from '@/lib/server/session';
import { redirectTo, type PageContext, type Loading } from './page';

/** The email that a page waits for. `resendAfter` and `worksFor`: in seconds. */
export type Pending = { flow: string; email: string; resendAfter: number; worksFor: number };

type Read = { email: string } & Pick<ReadToken, 'flow' | 'issuedAt' | 'isUsed'>;

/**
 * Loads /registration/confirm: a pending confirmation of this browser, or null, so that the page tells the user where
 * to continue.
 */
export async function loadConfirmationStep(
  context: PageContext,
): Loading<{ pending: (Pending & { method: string; finishesSignIn: boolean }) | null }> {
  const read = await nullOnProblem(readRegistration(context));
  // The emailed link may have completed it in another tab. Then a passkey is created there.
  const isLinked =
    read !== null && read.presentedMethod !== PASSKEY_METHOD && (await isSignedInAs(context, read.email));
  if (read?.isUsed || isLinked) return redirectTo(pathWithFlow(paths.registrationSuccess, read.flow));
  const pending = read && {
    ...toPending(read),
    method: read.presentedMethod,
    finishesSignIn: !read.isRegistration,
  };
  return redirectToFlow(context, read) ?? { props: { pending } };
}

type SuccessProps = { signedIn: boolean; destination: string; email: string | null; passkeyFlow?: string };

/** Loads /registration/success, only after a registration. A signed-out user is asked to sign in. */
export async function loadSuccessStep(context: PageContext): Loading<SuccessProps> {
  const destination = getDestination(context);
  const hasSession = getSessionCookie(context.req) !== null;
  const read = isFlowId(getFlow(context)) ? await nullOnProblem(readRegistration(context)) : null;
  // The session may belong to another registration in this browser.
  const signedIn = read !== null && (await isSignedInAs(context, read.email));
  if (read && (read.isUsed || signedIn)) {
    const props = { signedIn, destination, email: read.email };
    if (!(await nullOnProblem(awaitsPasskey(read)))) return { props };
    return signedIn ? redirectTo(paths.addPasskey) : { props: { ...props, passkeyFlow: read.flow } };
  }
  const requiresSignIn = readCookie(context.req, 'registrationRequiresSignIn') === '1';
  const isAnySession = !requiresSignIn && hasSession;
  if (!isAnySession && !requiresSignIn) return redirectTo(paths.registration);
  return { props: { signedIn: isAnySession, destination, email: null } };
}

/** False also if the session cannot be checked, so that the page shows how to continue without it. */
async function isSignedInAs({ req }: PageContext, email: string): Promise<boolean> {
  return (await readSessionEmail(req)) === email;
}

/** Returns the email of a live session, or null. */
async function readSessionEmail(req: PageContext['req']): Promise<string | null> {
  if (getSessionCookie(req) === null) return null;
  return (await nullOnProblem(requireSession(req)))?.status.email?.toLowerCase() ?? null;
}

/** Loads /forget-password/instructions, only after a code was requested. */
export async function loadInstructionsStep(context: PageContext): Loading<{ pending: Pending }> {
  const read = await nullOnProblem(readReset(context));
  if (!read) return redirectTo(paths.forgetPassword);
  if (read.isUsed) return redirectTo(pathWithFlow(paths.forgetPasswordConfirmation, read.flow));
  return redirectToFlow(context, read) ?? { props: { pending: toPending(read) } };
}

/**
 * Loads /forget-password/reset: a pending reset of this browser, or null, so that the page tells the user where to
 * continue.
 */
export async function loadResetStep(context: PageContext): Loading<{ pending: Pending | null }> {
  const read = await nullOnProblem(readReset(context));
  if (read?.isUsed) return redirectTo(pathWithFlow(paths.forgetPasswordConfirmation, read.flow));
  return redirectToFlow(context, read) ?? { props: { pending: read && toPending(read) } };
}

/** Where the learner continues, by the cookies. The browser's own storage takes precedence. */
const getDestination = ({ req }: PageContext) =>
  resolveCallback(readCookie(req, 'callbackUrl'), getCallbackPolicy(getPublicEnv()));

/** `changedBefore`: the reset's email, for a user who came back to its code page. `signedInAs`: the session's email. */
type PasswordSetProps = { changedBefore: string | null; signedInAs: string | null; destination: string };

/**
 * Loads /forget-password/confirmation, only after a new password was set. With a flow, the user came back to its code
 * page, whose input was not used. A reset also signs in, unless that failed.
 */
export async function loadPasswordSetStep(context: PageContext): Loading<PasswordSetProps> {
  const read = isFlowId(getFlow(context)) ? await nullOnProblem(readReset(context)) : null;
  const changedBefore = read?.isUsed ? read.email : null;
  if (changedBefore === null && readCookie(context.req, 'passwordUpdate') !== '1')
    return redirectTo(paths.forgetPassword);
  const signedInAs = await readSessionEmail(context.req);
  return { props: { changedBefore, signedInAs, destination: getDestination(context) } };
}

const readRegistration = async (context: PageContext) =>
  readPendingRegistration(await getToken(context, 'confirm-email'));

const readReset = async (context: PageContext) => readPendingReset(await getToken(context, 'reset-password'));

function getToken(context: PageContext, purpose: FlowPurpose): Promise<string | undefined> {
  const flow = getFlow(context);
  if (flow !== undefined && !isFlowId(flow)) return Promise.resolve(undefined);
  return getFlowToken(context.req, purpose, flow);
}

const getFlow = ({ query }: PageContext) => query[queryNames.flow];

/** Adds the flow to the URL, so that the page keeps it after a reload. @returns null if it is already there */
function redirectToFlow(context: PageContext, read: Read | null) {
  if (read === null || getFlow(context) !== undefined) return null;
  const { pathname, searchParams } = new URL(context.resolvedUrl, 'http://localhost');
  searchParams.set(queryNames.flow, read.flow);
  return redirectTo(`${pathname}?${searchParams.toString()}`);
}

function toPending({ flow, email, issuedAt }: Read): Pending {
  const worksFor = Math.max(0, Math.floor((issuedAt - Date.now()) / 1000) + CODE_TTL_SECONDS);
  return { flow, email, resendAfter: getResendAfter(issuedAt), worksFor };
}

/**
 * Returns the seconds until another code can be emailed. @param issuedAt when the last code was emailed, in
 * milliseconds since 1970
 */
export function getResendAfter(issuedAt: number): number {
  // `issuedAt` is rounded down to a second. Never allow a resend that the limit would still refuse.
  const left = Math.ceil((issuedAt - Date.now()) / 1000) + RESEND_AFTER_SECONDS + 1;
  return Math.min(RESEND_AFTER_SECONDS, Math.max(0, left));
}
