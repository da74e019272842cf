import type { GetServerSidePropsResult } from 'next';
import { isApiProblem } from '@/lib/shared/problem';
import { resolveCallback } from '@/lib/shared/callback/rules';
import { getCallbackPolicy } from '@/lib/shared/config/public-env';
import { LOGOUT_RETURN, OIDC_PATH, paths, queryNames } from '@/lib/shared/paths';
import { PAGE_ACCOUNT_FIELD } from '@/lib/shared/request-headers';
import { getPublicEnv } from '@/lib/server/runtime';
import {
  consumeCallerLimit,
  isSharedComputer,
  readBytes,
  appendCookies,
  assertOwnOrigin,
  assertSameAccount,
} from '@/lib/server/http';
import {
  bySession,
  endSession,
  requireSession,
  buildClearedDeviceCookies,
  buildEndedSessionCookies,
} from '@/lib/server/session';
import { redirectByGet, validateRequestedCallback, type PageContext } from './page';

export type SignOutProps = {
  /** Email of the signed-in account; null when it has none or cannot be read now. */
  email: string | null;
  /** Its id, which the form names; absent when it cannot be read now. */
  accountUid?: string;
  /** Where "Stay signed in" leads. */
  destination: string;
  /** The form's address, with what the page's own has: where to go afterwards. */
  action: string;
  /** Why the form did not sign out: another account is signed in now, or the sign-out was refused or did not succeed. */
  failure: 'other-account' | 'failed' | null;
};

type Result = GetServerSidePropsResult<SignOutProps>;

/**
 * /sign-out: asks, and signs out only by the form of this page, never by a link (CSRF). Then, and without a session,
 * it redirects to the redirect URI, or to sign-in if there is none or it is refused.
 */
export async function loadSignOut(context: PageContext): Promise<Result> {
  context.res.setHeader('x-robots-tag', 'noindex');
  const verdict = validateRequestedCallback(context.query[queryNames.redirectUri]);
  const query = verdict.accepted ? `?${new URLSearchParams({ [queryNames.redirectUri]: verdict.url }).toString()}` : '';
  const destination = resolveCallback(context.query[queryNames.redirectUri], getCallbackPolicy(getPublicEnv()));
  const sealed = context.query[LOGOUT_RETURN];
  // A form may not lead to another site, by its policy: the page between, which reads it, does.
  const client = typeof sealed === 'string' ? `?${new URLSearchParams({ [LOGOUT_RETURN]: sealed }).toString()}` : null;
  const form = { email: null, destination, action: paths.signOut + (client ?? query), failure: null };
  const next = verdict.accepted ? verdict.url : paths.signIn;
  const leave = redirectByGet(client === null ? next : `${OIDC_PATH}/signed-out${client}`);
  const outcome = context.req.method === 'POST' ? await signOut(context) : null;
  if (outcome === 'done') return leave;
  const account = await getAccount(context);
  return account === null ? leave : { props: { ...form, ...account, failure: outcome } };
}

/** @returns `done` when the session has ended; otherwise the response has the status of the problem */
async function signOut({ req, res }: PageContext): Promise<'done' | 'other-account' | 'failed'> {
  try {
    assertOwnOrigin(req);
    const form = new URLSearchParams((await readBytes(req)).toString('utf8'));
    assertSameAccount(req, form.get(PAGE_ACCOUNT_FIELD) ?? undefined);
    const cleared = isSharedComputer(req) ? buildClearedDeviceCookies(req) : buildEndedSessionCookies(req);
    try {
      await consumeCallerLimit(bySession('end-session'), { req, body: undefined });
    } catch (error) {
      // It is no session of this browser: no limit keeps its cookies here.
      appendCookies(res, cleared);
      throw error;
    }
    await endSession(req);
    appendCookies(res, cleared);
    return 'done';
  } catch (error) {
    if (!isApiProblem(error)) throw error;
    res.statusCode = error.status;
    return error.code === 'other-account' ? error.code : 'failed';
  }
}

/** @returns null without a live session; without an id while it cannot be checked */
async function getAccount({ req }: PageContext): Promise<Pick<SignOutProps, 'email' | 'accountUid'> | null> {
  try {
    const { uid, email } = (await requireSession(req)).status;
    return { email, accountUid: uid };
  } catch (error) {
    if (!isApiProblem(error)) throw error;
    return error.status === 401 ? null : { email: null };
  }
}
