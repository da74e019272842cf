import { parseSetCookie, stringifyCookie } from 'cookie';

export type Answer = {
  status: number;
  headers: Headers;
  /** The parsed body, or null if there was none. */
  body: Record<string, unknown> | null;
  /** Cookies of the response by name. */
  cookies: Record<string, NonNullable<ReturnType<typeof parseSetCookie>>>;
};

const APP = 'http://localhost:3000';
const SESSION = '_secure-user-session';
/** Further cookies of a browser with a session, by that session's cookie. */
const browsers = new Map<string, Record<string, string>>();

/**
 * Calls the API as a page of the app does, unless the headers differ. `null` omits a header.
 * @param options `cookie`: a session cookie; the call comes from the browser in which that session was opened
 */
export async function post(
  address: string,
  options: { body?: unknown; cookie?: string; headers?: Record<string, string | null> } = {},
): Promise<Answer> {
  const headers = new Headers({ origin: APP });
  if (options.body !== undefined) headers.set('content-type', 'application/json');
  const own = options.cookie === undefined ? {} : getBrowserCookies(options.cookie);
  if (options.cookie !== undefined) headers.set('cookie', stringifyCookie(own));
  for (const [name, value] of Object.entries(options.headers ?? {})) {
    if (value === null) headers.delete(name);
    else headers.set(name, value);
  }
  const body =
    typeof options.body === 'string' || options.body === undefined ? options.body : JSON.stringify(options.body);
  const answer = await read(await fetch(address, { method: 'POST', headers, body: body ?? null }));
  const session = answer.cookies[SESSION]?.value;
  const set = ['device', '__Host-device'].flatMap((name) => answer.cookies[name] ?? []);
  if (session)
    browsers.set(session, { ...own, ...Object.fromEntries(set.map(({ name, value = '' }) => [name, value])) });
  return answer;
}

/** Returns the cookies of the browser in which a session was opened. @param session the session's cookie */
export const getBrowserCookies = (session: string) => ({ ...browsers.get(session), [SESSION]: session });

export async function read(response: Response): Promise<Answer> {
  const text = await response.text();
  const cookies = response.headers.getSetCookie().flatMap((header) => parseSetCookie(header) ?? []);
  return {
    status: response.status,
    headers: response.headers,
    body: text === '' ? null : (JSON.parse(text) as Record<string, unknown>),
    cookies: Object.fromEntries(cookies.map((cookie) => [cookie.name, cookie])),
  };
}

/** Replaces the random id of a response's flow by dots, so that responses can be compared. */
export function maskFlow(answer: Answer): Answer {
  const { flow } = answer.body ?? {};
  if (typeof flow !== 'string') return answer;
  const mask = (text: string) => text.replaceAll(flow, '.'.repeat(flow.length));
  const { body, cookies } = JSON.parse(mask(JSON.stringify(answer))) as Pick<Answer, 'body' | 'cookies'>;
  return { ...answer, body, cookies };
}

/** Creates a session. @returns the session cookie's value */
export async function openSession(
  origin: string,
  token: string,
  headers?: Record<string, string | null>,
): Promise<string> {
  const answer = await post(`${origin}/api/create-user-session`, { body: { token }, headers });
  const cookie = answer.cookies[SESSION]?.value;
  if (answer.status !== 200 || !cookie) throw new Error(`No session: ${JSON.stringify(answer.body)}`);
  return cookie;
}

/** A browser's cookies, for flows of several requests. */
export class CookieJar {
  readonly cookies: Record<string, string> = {};

  /** @param headers headers of every request */
  constructor(readonly headers: Record<string, string> = {}) {}

  /** Creates another browser with the same cookies. */
  copy(): CookieJar {
    const jar = new CookieJar({ ...this.headers });
    Object.assign(jar.cookies, this.cookies);
    return jar;
  }

  /** The `Cookie` header. */
  get cookieHeader(): string {
    return stringifyCookie(this.cookies);
  }

  /** Calls the API with the cookies in the jar and stores the response's cookies. */
  async post(address: string, body?: unknown): Promise<Answer> {
    const answer = await post(address, { body, headers: { ...this.headers, cookie: this.cookieHeader } });
    for (const [name, { value = '', maxAge }] of Object.entries(answer.cookies)) {
      if (maxAge === 0) delete this.cookies[name];
      else this.cookies[name] = value;
    }
    return answer;
  }
}

/**
 * Waits for the next second. The identity provider counts whole seconds, so a revocation would not apply to a sign-in
 * of the same second.
 */
export async function nextSecond(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 1_050 - (Date.now() % 1_000)));
}

/** Waits until an email is later than a revocation that was just made, which counts from the next full second. */
export async function waitOutRevocation(): Promise<void> {
  await nextSecond();
  await nextSecond();
}

/** Options for a test of many rounds, which may take any time on a busy machine. */
export const UNHURRIED = { testTimeout: 3_600_000 };
