import { randomUUID } from 'node:crypto';
import type { NextApiHandler, NextApiRequest, NextApiResponse } from 'next';
import type { z } from 'zod';
import { ApiProblem, PROBLEM_MEDIA_TYPE, type ProblemCode } from '@/lib/api/problem';
import { reportError } from '@/lib/sentry/report';
import { clientAddress } from './client-address';
import { checkAnnouncedLength, readBody } from './http/body';
import { checkOwnCaller } from './http/own-caller';
import { checkCaller, corsHeaders, type Audience } from './http/origins';
import { countAnswer } from './counters';
import { consume } from './limits';
import { log } from './log';
import type { LimitName } from './limits/table';

/** How long a browser may keep the answer to a preflight, in seconds. */
const PREFLIGHT_AGE = '600';
/** When to come back after a 429 of somebody else's who does not say, in seconds. */
const RETRY_AFTER = 60;

export type RouteOptions<B> = {
  method: 'GET' | 'POST';
  /** Schema of the JSON body; calls without one have no body, and what is sent anyway is not read. */
  body?: z.core.$ZodType<B>;
  /** State-changing calls are accepted from pages of the main domain only. */
  stateChanging: boolean;
  /** Longest body in bytes; 16 KiB unless told otherwise. */
  maxBody?: number;
  /** Counted by client address, before the body is read. */
  limit?: LimitName;
  /** Who may read the answer across origins, the platform unless told otherwise; `own` calls are made by own pages only. */
  audience?: Audience;
};

export type RouteCall<B> = { req: NextApiRequest; res: NextApiResponse; body: B };

/** A route, and what it was made of: the API description reads it from there. */
export type Route = NextApiHandler & { route: Omit<RouteOptions<unknown>, 'body'> & { body?: z.core.$ZodType } };

/**
 * Builds an API route: method, origin, media type, size and schema are checked, limits counted, CORS answered, and
 * every failure becomes `application/problem+json` (RFC 9457). What the handler returns is the JSON answer, status 200;
 * a handler that has ended the answer itself returns nothing.
 *
 * The route's file must also say `export const config = { api: { bodyParser: false } }`: bodies are read here, so that
 * a body too long or broken gets our answer.
 */
export function apiRoute<B = undefined>(options: RouteOptions<B>, handler: (call: RouteCall<B>) => unknown): Route {
  const answerCall: NextApiHandler = (req, res) =>
    answering(req, res, async () => {
      openAnswer(req, res, options.audience ?? 'platform');
      if (req.method === 'OPTIONS') return answerPreflight(res, options);
      checkMethod(req, res, options.method);
      if (options.stateChanging) (options.audience === 'own' ? checkOwnCaller : checkCaller)(req);
      checkAnnouncedLength(req, options.maxBody);
      if (options.limit) await consume(options.limit, clientAddress(req));
      // Without a schema the type says that there is no body.
      const body = options.body ? await readBody(req, options.body) : (undefined as B);
      const answer = await handler({ req, res, body });
      if (!res.writableEnded) sendJson(res, 200, 'application/json', answer ?? {});
    });
  return Object.assign(answerCall, { route: options });
}

/** Runs what answers a call: it gets an id, a failure becomes a problem, and either is counted and timed. */
export async function answering(req: NextApiRequest, res: NextApiResponse, work: () => Promise<void>): Promise<void> {
  const begin = performance.now();
  // Never the caller's own: two could name one id.
  const id = randomUUID();
  req.headers['x-request-id'] = id;
  res.setHeader('x-request-id', id);
  let result: ProblemCode | 'ok' = 'ok';
  try {
    await work();
  } catch (error) {
    result = sendProblem(req, res, error);
  }
  noteAnswer(req, result, (performance.now() - begin) / 1000);
}

function openAnswer(req: NextApiRequest, res: NextApiResponse, audience: Audience): void {
  res.setHeader('cache-control', 'no-store');
  res.setHeader('vary', 'Origin');
  for (const [name, value] of Object.entries(corsHeaders(req.headers.origin, audience))) res.setHeader(name, value);
}

function answerPreflight(res: NextApiResponse, { method }: { method: string }): void {
  if (!res.hasHeader('access-control-allow-origin')) throw new ApiProblem('foreign-origin');
  res.setHeader('access-control-allow-methods', method);
  res.setHeader('access-control-allow-headers', 'content-type');
  res.setHeader('access-control-max-age', PREFLIGHT_AGE);
  res.status(204).end();
}

function checkMethod(req: NextApiRequest, res: NextApiResponse, method: 'GET' | 'POST'): void {
  if (req.method === method || (method === 'GET' && req.method === 'HEAD')) return;
  res.setHeader('allow', method === 'GET' ? 'GET, HEAD, OPTIONS' : 'POST, OPTIONS');
  throw new ApiProblem('method-not-allowed');
}

/** One line in the log for every failure, and counters for everything. The request's id is that of the answer's header. */
function noteAnswer(req: NextApiRequest, result: ProblemCode | 'ok', seconds: number): void {
  const path = pathOf(req);
  countAnswer(path, result, seconds);
  const entry = { requestId: requestIdOf(req), path, result, ms: Math.round(seconds * 1000) };
  if (result === 'ok') log().debug(entry, 'answered');
  else log().info(entry, 'refused');
}

const pathOf = (req: NextApiRequest) => req.url?.split('?')[0] ?? '';
const requestIdOf = (req: NextApiRequest) => String(req.headers['x-request-id'] ?? '');

/** Answers a failure as `application/problem+json`. @returns the problem's code */
function sendProblem(req: NextApiRequest, res: NextApiResponse, error: unknown): ProblemCode {
  const problem = error instanceof ApiProblem ? error : new ApiProblem('internal-error', { cause: error });
  if (problem.code === 'internal-error') reportError(error, { path: pathOf(req), requestId: requestIdOf(req) });
  if (res.headersSent) {
    res.end();
    return problem.code;
  }
  const retryAfter = problem.options.retryAfter ?? (problem.status === 429 ? RETRY_AFTER : undefined);
  if (retryAfter !== undefined) res.setHeader('retry-after', String(retryAfter));
  // Whatever the handler wanted cached, a failure is not.
  res.setHeader('cache-control', 'no-store');
  sendJson(res, problem.status, PROBLEM_MEDIA_TYPE, problem);
  return problem.code;
}

function sendJson(res: NextApiResponse, status: number, type: string, answer: unknown): void {
  const text = JSON.stringify(answer);
  res.statusCode = status;
  res.setHeader('content-type', type);
  // Unsaid, it would go out in pieces.
  res.setHeader('content-length', Buffer.byteLength(text));
  res.end(text);
}
