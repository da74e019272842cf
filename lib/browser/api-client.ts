import { PAGE_ACCOUNT_HEADER, SUPPORT_CODE_HEADER } from '@/lib/shared/request-headers';
import { getProblemType, type ProblemCode } from '@/lib/shared/problem';
import { getPageAccount, reloadPage } from './session/state';
import { storage } from './storage';

/** Why a call of our API failed. `network` means that no response arrived in time. */
export type CallFailure = {
  ok: false;
  code: ProblemCode | 'network' | 'unreadable';
  status: number;
  retryAfter: number | null;
  triesLeft: number | null;
};
/** The result of a call of our API, as a value. */
export type ApiResult<T> = { ok: true; status: number; data: T } | CallFailure;

/** Request timeout in milliseconds. No endpoint takes longer, and no user waits longer. */
const REQUEST_TIMEOUT_MS = 30_000;

/**
 * Sends a POST request with JSON to our own API, with cookies and the account that the page shows. If another account is
 * signed in now, the page reloads and the call does not settle. Never throws.
 * @param path of our own API
 * @returns the parsed body, or the problem's code with `retryAfter` in seconds and `triesLeft` if the server sent them
 */
export function postJson<T>(path: string, body?: unknown, signal?: AbortSignal): Promise<ApiResult<T>> {
  const account = getPageAccount();
  const headers = {
    ...(account !== null && { [PAGE_ACCOUNT_HEADER]: account }),
    ...(body !== undefined && { 'content-type': 'application/json' }),
  };
  const init: RequestInit = { method: 'POST', headers };
  if (body !== undefined) init.body = JSON.stringify(body);
  return call(path, init, signal);
}

/** Sends a GET request to our own API, with cookies. Never throws. @param path of our own API */
export function getJson<T>(path: string, signal?: AbortSignal): Promise<ApiResult<T>> {
  return call(path, { method: 'GET' }, signal);
}

async function call<T>(path: string, init: RequestInit, signal?: AbortSignal): Promise<ApiResult<T>> {
  const giveUp = new AbortController();
  const timer = setTimeout(() => giveUp.abort(), REQUEST_TIMEOUT_MS);
  signal?.addEventListener('abort', () => giveUp.abort());
  if (signal?.aborted) giveUp.abort();
  // Support finds the calls of this tab by the code that the self-check gave it (self-check/support-code.ts).
  const code = storage('sessionStorage').getItem(SUPPORT_CODE_HEADER);
  const headers = { ...init.headers, ...(code && { [SUPPORT_CODE_HEADER]: code }) };
  try {
    const response = await fetch(path, { ...init, headers, signal: giveUp.signal });
    recordRequestId(response);
    if (init.method === 'POST') recordServerTime(response.headers.get('date'));
    const body: unknown = await response.json().catch(() => null);
    if (response.ok) return { ok: true, status: response.status, data: body as T };
    const problem = getProblemCode(body);
    // The page is about to reload, so do not settle.
    if (problem === 'other-account') {
      reloadPage();
      return await new Promise(() => undefined);
    }
    const retryAfter = getRetryAfter(response);
    if (problem === 'proof-required') {
      const { repeatWithProof } = await import('./proof-of-work');
      return await repeatWithProof(body, retryAfter, init, (again) => call<T>(path, again, signal));
    }
    return {
      ok: false,
      code: problem,
      status: response.status,
      retryAfter,
      triesLeft: getTriesLeft(body),
    };
  } catch {
    return { ok: false, code: 'network', status: 0, retryAfter: null, triesLeft: null };
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Reads the code of a problem of our API, recognized by its type. A comparison with `PROBLEMS` would make every page load
 * all codes. A newer server may send a code that has no text here. Pages handle it like `unreadable`.
 */
function getProblemCode(body: unknown): ProblemCode | 'unreadable' {
  const { code, type } = (body ?? {}) as { code?: unknown; type?: unknown };
  return typeof code === 'string' && type === getProblemType(code) ? (code as ProblemCode) : 'unreadable';
}

function getRetryAfter(response: Response): number | null {
  const seconds = Number(response.headers.get('retry-after'));
  return Number.isFinite(seconds) && seconds > 0 ? seconds : null;
}

function getTriesLeft(body: unknown): number | null {
  const tries = (body as { triesLeft?: unknown } | null)?.triesLeft;
  return typeof tries === 'number' ? tries : null;
}

/** The server's clock minus this device's, in milliseconds; 0 before the first response. */
let offset = 0;

/** @param date the `Date` header of a response that no cache has stored (RFC 9110, section 6.6.1) */
function recordServerTime(date: string | null): void {
  const time = Date.parse(date ?? '');
  if (time) offset = time - Date.now();
}

/** Returns the server's time in milliseconds since 1970. The device's clock can be wrong by days. */
export function getServerTime(): number {
  return Date.now() + offset;
}

let last: string | null = null;

/** Returns the id of the last API response on this page. Error reports carry it, so that you can find the request in the log. */
export function getLastRequestId(): string | null {
  return last;
}

function recordRequestId(response: Pick<Response, 'headers'>): void {
  last = response.headers.get('x-request-id') ?? last;
}
