import { PROBLEMS, type ProblemCode } from './problem';

/** Answer of one of our own API calls, as a value. `network` means that nothing came back in time. */
export type ApiAnswer<T> =
  | { ok: true; status: number; data: T }
  | {
      ok: false;
      code: ProblemCode | 'network' | 'unreadable';
      status: number;
      retryAfter: number | null;
      triesLeft: number | null;
    };

/** How long an answer may take, in milliseconds: longer than any of ours does, and no longer than a person waits. */
const PATIENCE = 30_000;

/**
 * Posts JSON to our own API, cookies included. Never throws.
 * @param path one of `apiPaths`
 * @returns the parsed body, or the problem's code with `retryAfter` in seconds and `triesLeft` where the server named them
 */
export function postJson<T>(path: string, body?: unknown, signal?: AbortSignal): Promise<ApiAnswer<T>> {
  const init: RequestInit = { method: 'POST' };
  if (body !== undefined)
    Object.assign(init, { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
  return call(path, init, signal);
}

/** Reads from our own API, cookies included. Never throws. @param path one of `apiPaths` */
export function getJson<T>(path: string, signal?: AbortSignal): Promise<ApiAnswer<T>> {
  return call(path, { method: 'GET' }, signal);
}

async function call<T>(path: string, init: RequestInit, signal?: AbortSignal): Promise<ApiAnswer<T>> {
  const giveUp = new AbortController();
  const timer = setTimeout(() => giveUp.abort(), PATIENCE);
  const follow = () => giveUp.abort();
  signal?.addEventListener('abort', follow);
  if (signal?.aborted) giveUp.abort();
  try {
    const response = await fetch(path, { ...init, credentials: 'include', signal: giveUp.signal });
    const answer: unknown = await response.json().catch(() => null);
    if (response.ok) return { ok: true, status: response.status, data: answer as T };
    return {
      ok: false,
      code: problemCodeOf(answer),
      status: response.status,
      retryAfter: retryAfterOf(response),
      triesLeft: triesLeftOf(answer),
    };
  } catch {
    return { ok: false, code: 'network', status: 0, retryAfter: null, triesLeft: null };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', follow);
  }
}

function problemCodeOf(answer: unknown): ProblemCode | 'unreadable' {
  const code = typeof answer === 'object' && answer !== null && 'code' in answer ? answer.code : undefined;
  return typeof code === 'string' && Object.hasOwn(PROBLEMS, code) ? (code as ProblemCode) : 'unreadable';
}

function retryAfterOf(response: Response): number | null {
  const seconds = Number(response.headers.get('retry-after'));
  return Number.isFinite(seconds) && seconds > 0 ? seconds : null;
}

function triesLeftOf(answer: unknown): number | null {
  const tries = typeof answer === 'object' && answer !== null && 'triesLeft' in answer ? answer.triesLeft : null;
  return typeof tries === 'number' ? tries : null;
}
