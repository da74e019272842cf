import type { GetServerSidePropsResult } from 'next';
import {
  buildLeftPage,
  describeLeftClients,
  findLeftClients,
  readLeftClients,
  readLogoutReturn,
  type LeftClient,
} from '@/lib/server/oidc';
import { isApiProblem, nullOnProblem } from '@/lib/shared/problem';
import { resolveCallback } from '@/lib/shared/callback/rules';
import { getCallbackPolicy } from '@/lib/shared/config/public-env';
import { LEFT_CLIENTS, LOGOUT_RETURN, OIDC_PATH, pathWithReturn, paths, queryNames } from '@/lib/shared/paths';
import { PAGE_ACCOUNT_FIELD } from '@/lib/shared/request-headers';
import { env, getPublicEnv } from '@/lib/server/runtime';
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

/** Props after a sign-out: the clients that it did not reach. */
type SignedOutProps = { left: LeftClient[]; next: string };

type AskProps = {
  /** Email of the signed-in account. Null if it has none or cannot be read. */
  email: string | null;
  /** The account's id, which the form sends. Absent if it cannot be read. */
  accountUid?: string;
  /** Target of "Stay signed in". */
  destination: string;
  /** The form's URL, which keeps the page's own parameters. */
  action: string;
  /** Why the form did not sign out: another account is signed in now, or the sign-out was refused or failed. */
  failure: 'other-account' | 'failed' | null;
  /** Clients that the sign-out will not reach. Null if they cannot be read. */
  staying: LeftClient[] | null;
};

export type SignOutProps = AskProps | SignedOutProps;

type Result = GetServerSidePropsResult<SignOutProps>;

/**
 * Loads /sign-out. It asks first, and signs out only by this page's form, never by a link (CSRF). After that, or
 * without a session, it redirects to the redirect URI, or to sign-in if there is none or it is refused. Before the
 * redirect, it lists the OpenID Provider clients that cannot be notified of the sign-out.
 */
export async function loadSignOut(context: PageContext): Promise<Result> {
  context.res.setHeader('x-robots-tag', 'noindex');
  const verdict = validateRequestedCallback(context.query[queryNames.redirectUri]);
  const query = verdict.accepted ? `?${new URLSearchParams({ [queryNames.redirectUri]: verdict.url }).toString()}` : '';
  const destination = resolveCallback(context.query[queryNames.redirectUri], getCallbackPolicy(getPublicEnv()));
  const sealed = context.query[LOGOUT_RETURN];
  // The policy forbids a form that leads to another site, so the page in between reads this value and redirects.
  const client = typeof sealed === 'string' ? `?${new URLSearchParams({ [LOGOUT_RETURN]: sealed }).toString()}` : null;
  const form = { email: null, destination, action: paths.signOut + (client ?? query), failure: null };
  // Find the clients first, because the end of the session deletes their list.
  const left = await findLeft(context);
  const outcome = context.req.method === 'POST' ? await signOut(context) : null;
  const done = isSharedComputer(context.req) ? 'DeviceCleared' : 'SignedOut';
  const signIn = outcome === 'done' ? pathWithReturn(null, done) : paths.signIn;
  const requested = verdict.accepted ? verdict.url : signIn;
  const next = client === null ? requested : `${OIDC_PATH}/signed-out${client}`;
  if (outcome === 'done')
    return redirectByGet(left?.length ? `${await buildLeftPage(left)}${(client ?? query).replace('?', '&')}` : next);
  const account = await getAccount(context);
  if (account !== null) {
    const staying = left && (await describeLeftClients(left));
    return { props: { ...form, ...account, failure: outcome, staying } };
  }
  const named = await readLeftClients(context.query[LEFT_CLIENTS]);
  return named.length === 0
    ? redirectByGet(next)
    : { props: { left: named, next: new URL(next, env().NEXT_PUBLIC_APP_ORIGIN).href } };
}

/**
 * Finds the clients that stay signed in, without the client that requested the sign-out, which has signed its user out
 * itself.
 */
async function findLeft({ req, query }: PageContext): Promise<string[] | null> {
  const left = await findLeftClients(req);
  if (left === null || left.length === 0) return left;
  const asking = query[LOGOUT_RETURN] && (await nullOnProblem(readLogoutReturn(query[LOGOUT_RETURN])));
  return asking ? left.filter((id) => id !== asking.from) : left;
}

/** @returns `done` if the session has ended; otherwise the response has the status of the problem */
async function signOut({ req, res }: PageContext): Promise<'done' | 'other-account' | 'failed'> {
  try {
    assertOwnOrigin(req);
    const form = new URLSearchParams((await readBytes(req)).toString('utf8'));
    assertSameAccount(req, form.get(PAGE_ACCOUNT_FIELD) ?? undefined);
    const cleared = isSharedComputer(req) ? buildClearedDeviceCookies(req) : buildEndedSessionCookies(req);
    try {
      await consumeCallerLimit(bySession('end-session'), { req, body: undefined });
    } catch (error) {
      // The session is not this browser's, so clear its cookies even beyond the limit.
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

/** @returns null without a live session; without an id if it cannot be checked */
async function getAccount({ req }: PageContext): Promise<Pick<AskProps, 'email' | 'accountUid'> | null> {
  try {
    const { uid, email } = (await requireSession(req)).status;
    return { email, accountUid: uid };
  } catch (error) {
    if (!isApiProblem(error)) throw error;
    return error.status === 401 ? null : { email: null };
  }
}
