import { parseSetCookie, stringifyCookie, stringifySetCookie } from 'cookie';
import { z } from 'zod';
import { ApiProblem, PROBLEMS, type ProblemCode } from '@/lib/api/problem';
import { cookieDomain, cookieTable } from '@/lib/cookies/table';
import { apiPaths } from '@/lib/paths';
import { reportError } from '@/lib/sentry/report';
import { sessionStatusSchema } from '@/lib/session/contract';
import { readJson } from '../http/answer';
import { providerUnavailable } from './provider-errors';
import { sidOf } from './sid';
import type { LiveSession, SessionBackend } from './types';

/** How long the other deployment may take, in milliseconds (product decisions, 3). */
const PATIENCE = 5_000;
/** Longest answer that is read, in bytes. */
const LONGEST_ANSWER = 16 * 1024;

type Options = {
  /** Origin of the other identity deployment. */
  url: string;
  mainDomain: string;
};

/**
 * Sessions at another identity deployment. Its answers are read and said anew, so that no header of the other side or
 * of the caller passes through but the session cookie in, and cookies, rewritten to our domain, out.
 */
export function upstreamBackend({ url, mainDomain }: Options): SessionBackend {
  const call = (path: string, cookie?: string, body?: unknown) => post(new URL(path, url), cookie, body);
  return {
    async create(token) {
      const response = await call(apiPaths.createUserSession, undefined, { token });
      await response.body?.cancel();
      const cookies = response.headers.getSetCookie();
      // A friendly word without a session is no session: a portal in between says it as well.
      if (!cookies.some((header) => parseSetCookie(header)?.name === cookieTable.session.name))
        throw providerUnavailable(new Error('The upstream identity API answered without a session'));
      return cookies.flatMap((header) => rewrite(header, mainDomain));
    },
    async check(cookie) {
      return readSession(cookie, await call(apiPaths.checkAuthStatus, cookie));
    },
    async end(cookie) {
      await call(apiPaths.initiateLogout, cookie).catch((error: unknown) => {
        // No session there either: that is what was wanted.
        if (!(error instanceof ApiProblem) || error.status !== 401) throw error;
      });
    },
  };
}

async function post(address: URL, cookie: string | undefined, body: unknown): Promise<Response> {
  const headers = new Headers({ origin: address.origin, accept: 'application/json' });
  if (cookie !== undefined) headers.set('cookie', stringifyCookie({ [cookieTable.session.name]: cookie }));
  if (body !== undefined) headers.set('content-type', 'application/json');
  const init: RequestInit = { method: 'POST', headers, redirect: 'manual', signal: AbortSignal.timeout(PATIENCE) };
  if (body !== undefined) init.body = JSON.stringify(body);
  const response = await fetch(address, init).catch((error: unknown) => {
    throw providerUnavailable(error);
  });
  if (response.status === 200) return response;
  throw await problemOf(response);
}

/** @returns null for what cannot be read */
function readAnswer(response: Response): Promise<unknown> {
  return readJson(response, LONGEST_ANSWER).catch(() => null);
}

/** Their problem as ours: the same code when we know it, else by its status. */
async function problemOf(response: Response): Promise<ApiProblem> {
  const { code } = problemSchema.parse(await readAnswer(response));
  if (code !== null && PROBLEMS[code] === response.status && response.status < 500) {
    return new ApiProblem(code, { retryAfter: retryAfterOf(response) });
  }
  if (response.status === 401) return new ApiProblem('session-required');
  return providerUnavailable(new Error(`The upstream identity API answered ${String(response.status)}`));
}

const isProblemCode = (code: string): code is ProblemCode => Object.hasOwn(PROBLEMS, code);
const problemSchema = z.object({ code: z.string().refine(isProblemCode).nullable().catch(null) }).catch({ code: null });

function retryAfterOf(response: Response): number | undefined {
  return z.coerce.number().positive().max(3600).optional().catch(undefined).parse(response.headers.get('retry-after'));
}

async function readSession(cookie: string, response: Response): Promise<LiveSession> {
  const answer = sessionStatusSchema.safeParse(await readAnswer(response));
  if (!answer.success) {
    reportError(new Error('The upstream identity API describes the session in another way than agreed'));
    throw providerUnavailable();
  }
  return { sid: sidOf(cookie), status: answer.data, authTime: null, emailVerified: null, claims: {} };
}

const ours = new Map<string, boolean>(Object.values(cookieTable).map((spec) => [spec.name, spec.httpOnly]));

/** The same cookie on our main domain, with the flags it has here; none for a name that is not in the table. */
function rewrite(header: string, mainDomain: string): string[] {
  const { name = '', value, maxAge, expires } = parseSetCookie(header) ?? {};
  const httpOnly = ours.get(name);
  if (httpOnly === undefined) return [];
  const domain = cookieDomain(mainDomain);
  return [
    stringifySetCookie({ name, value, maxAge, expires, httpOnly, domain, path: '/', secure: true, sameSite: 'lax' }),
  ];
}
