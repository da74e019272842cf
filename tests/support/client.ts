import { parseSetCookie, stringifyCookie } from 'cookie';

export type Answer = {
  status: number;
  headers: Headers;
  /** Parsed body; null if there was none. */
  body: Record<string, unknown> | null;
  /** Cookies of the response by name. */
  cookies: Record<string, NonNullable<ReturnType<typeof parseSetCookie>>>;
};

const APP = 'http://localhost:3000';

/** Calls the API as a page of the app does, unless the headers say otherwise; `null` omits a header. */
export async function post(
  address: string,
  options: { body?: unknown; cookie?: string; headers?: Record<string, string | null> } = {},
): Promise<Answer> {
  const headers = new Headers({ origin: APP });
  if (options.body !== undefined) headers.set('content-type', 'application/json');
  if (options.cookie !== undefined) headers.set('cookie', stringifyCookie({ '_secure-user-session': options.cookie }));
  for (const [name, value] of Object.entries(options.headers ?? {})) {
    if (value === null) headers.delete(name);
    else headers.set(name, value);
  }
  const body =
    typeof options.body === 'string' || options.body === undefined ? options.body : JSON.stringify(options.body);
  return read(await fetch(address, { method: 'POST', headers, body: body ?? null }));
}

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

/** The response with dots in place of its flow's random id, for comparisons. */
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
  const cookie = answer.cookies['_secure-user-session']?.value;
  if (answer.status !== 200 || !cookie) throw new Error(`No session: ${JSON.stringify(answer.body)}`);
  return cookie;
}

/** A browser's cookies, for flows of several requests. */
export class CookieJar {
  readonly cookies: Record<string, string> = {};

  /** @param headers sent with every request */
  constructor(readonly headers: Record<string, string> = {}) {}

  /** Another browser with the same cookies. */
  copy(): CookieJar {
    const jar = new CookieJar({ ...this.headers });
    Object.assign(jar.cookies, this.cookies);
    return jar;
  }

  /** The `Cookie` header. */
  get cookieHeader(): string {
    return stringifyCookie(this.cookies);
  }

  /** Calls the API with the cookies in the jar, and stores those of the response. */
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
 * The identity provider counts whole seconds: a revocation within the same second as the sign-in would not apply to
 * it.
 */
export async function nextSecond(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 1_050 - (Date.now() % 1_000)));
}

/** For a test of many rounds: on a busy machine each takes as long as it does. */
export const UNHURRIED = { testTimeout: 3_600_000 };
