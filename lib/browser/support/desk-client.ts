import {
  supportPaths,
  type AccountAction,
  type ActionDone,
  type LookUpKey,
  type LookedUp,
} from '@/lib/shared/support/desk';
import { abortAfter } from '@/lib/shared/time-limit';

/**
 * Why a call of the support desk failed. `token`: the token gives no access, whether it is wrong, expired or removed.
 * `refused`: the token is valid, and `detail` says why the call is refused.
 */
export type DeskFailure =
  | { code: 'token' | 'unavailable' | 'network' }
  | { code: 'refused'; detail: string }
  /** `retryAfter`: in seconds. */
  | { code: 'limit'; retryAfter: number | null };
export type DeskResult<T> = { ok: true; data: T } | { ok: false; failure: DeskFailure };

type LookUp = { by: LookUpKey; value: string; reason: string };
type Order = { action: AccountAction; uid: string; reason: string };

/** Looks accounts up. Each call is an event of the accounts that it finds. Never throws. */
export function lookUp(token: string, { by, value, reason }: LookUp): Promise<DeskResult<LookedUp>> {
  const query = new URLSearchParams({ [by]: value, reason }).toString();
  return call(token, `${supportPaths.accounts}?${query}`);
}

/** Acts on an account. Never throws. */
export function act(token: string, order: Order): Promise<DeskResult<ActionDone>> {
  return call(token, supportPaths.actions, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(order),
  });
}

/** No action takes longer. */
const REQUEST_TIMEOUT_MS = 60_000;
/** A header has no other characters in a token. */
const TOKEN = /^[\x21-\x7e]+$/;

/** Sends no cookie: only the token gives access, so the learner who is signed in in this browser does not matter. */
async function call<T>(token: string, path: string, init: RequestInit = {}): Promise<DeskResult<T>> {
  if (!TOKEN.test(token)) return fail({ code: 'token' });
  try {
    const response = await fetch(path, {
      ...init,
      headers: { ...init.headers, authorization: `Bearer ${token}` },
      credentials: 'omit',
      cache: 'no-store',
      signal: abortAfter(REQUEST_TIMEOUT_MS),
    });
    const body: unknown = await response.json().catch(() => null);
    return response.ok ? { ok: true, data: body as T } : fail(readFailure(response, body));
  } catch {
    return fail({ code: 'network' });
  }
}

const fail = (failure: DeskFailure) => ({ ok: false, failure }) as const;

function readFailure(response: Response, body: unknown): DeskFailure {
  const { code, detail } = (body ?? {}) as Record<'code' | 'detail', unknown>;
  const seconds = Number(response.headers.get('retry-after'));
  if (code === 'too-many-requests') return { code: 'limit', retryAfter: seconds > 0 ? seconds : null };
  if (code === 'not-found') return { code: 'refused', detail: 'There is no such account' };
  if (response.status < 500 && typeof detail === 'string') return { code: 'refused', detail };
  if (code === 'admin-token-wrong' || code === 'admin-token-required') return { code: 'token' };
  return { code: 'unavailable' };
}
