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

/** Creates a session. @returns the session cookie's value */
export async function openSession(origin: string, token: string): Promise<string> {
  const answer = await post(`${origin}/api/create-user-session`, { body: { token } });
  const cookie = answer.cookies['_secure-user-session']?.value;
  if (answer.status !== 200 || !cookie) throw new Error(`No session: ${JSON.stringify(answer.body)}`);
  return cookie;
}
