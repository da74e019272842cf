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
import { LEFT_CLIENTS, LOGOUT_RETURN, OIDC_PATH, paths, queryNames } from '@/lib/shared/paths';
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

/** After a sign-out: the clients that it did not reach. */
type SignedOutProps = { left: LeftClient[]; next: string };

type AskProps = {
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
  /** Clients that the sign-out will not reach; null while they cannot be read. */
  staying: LeftClient[] | null;
};

export type SignOutProps = AskProps | SignedOutProps;

type Result = GetServerSidePropsResult<SignOutProps>;

/**
 * /sign-out: asks, and signs out only by the form of this page, never by a link (CSRF). Then, and without a session,
 * it redirects to the redirect URI, or to sign-in if there is none or it is refused. Before that, it names the clients of the OpenID Provider that
 * cannot be told of the sign-out.
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
  const requested = verdict.accepted ? verdict.url : paths.signIn;
  const next = client === null ? requested : `${OIDC_PATH}/signed-out${client}`;
  // The end of the session deletes the list of its clients.
  const left = await findLeft(context);
  const outcome = context.req.method === 'POST' ? await signOut(context) : null;
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

/** Without the one that asks for the sign-out, which has signed its user out itself. */
async function findLeft({ req, query }: PageContext): Promise<string[] | null> {
  const left = await findLeftClients(req);
  if (left === null || left.length === 0) return left;
  const asking = query[LOGOUT_RETURN] && (await nullOnProblem(readLogoutReturn(query[LOGOUT_RETURN])));
  return asking ? left.filter((id) => id !== asking.from) : left;
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
async function getAccount({ req }: PageContext): Promise<Pick<AskProps, 'email' | 'accountUid'> | null> {
  try {
    const { uid, email } = (await requireSession(req)).status;
    return { email, accountUid: uid };
  } catch (error) {
    if (!isApiProblem(error)) throw error;
    return error.status === 401 ? null : { email: null };
  }
}
