import { parseSetCookie } from 'cookie';

/** Returns the target of a page that the provider sends instead of a redirect. */
async function readNext(response: Response): Promise<string> {
  const html = await response.text();
  const [, address] = /http-equiv="refresh" content="0; url=([^"]*)"/.exec(html) ?? [];
  if (address === undefined) throw new Error(`${String(response.status)} ${html}`);
  return address.replaceAll('&amp;', '&');
}

/** Holds a browser's cookies with their paths, for the redirects of a sign-in. */
export class Navigator {
  readonly jar = new Map<string, { value: string; path: string }>();

  constructor(
    readonly served: string,
    readonly headers: Record<string, string> = {},
  ) {}

  /** Adds the cookies of another jar for every path. */
  take(cookies: Record<string, string>): void {
    for (const [name, value] of Object.entries(cookies)) this.jar.set(`${name} /`, { value, path: '/' });
  }

  /** Opens an address of the identity deployment without following redirects. */
  async open(address: URL | string, init: RequestInit = {}): Promise<Response> {
    const { pathname, search } = new URL(address);
    const sent = [...this.jar].filter(([, { path: scope }]) => pathname.startsWith(scope));
    const cookie = sent.map(([key, { value }]) => `${key.split(' ')[0] ?? ''}=${value}`).join('; ');
    const headers = { accept: 'text/html', ...this.headers, cookie, ...(init.headers as Record<string, string>) };
    const response = await fetch(this.served + pathname + search, { redirect: 'manual', ...init, headers });
    for (const header of response.headers.getSetCookie()) {
      const { name, value = '', path: scope = '/', expires, maxAge } = parseSetCookie(header) ?? { name: '' };
      const isOver = maxAge === 0 || (expires !== undefined && expires.getTime() <= Date.now());
      if (isOver) this.jar.delete(`${name} ${scope}`);
      else this.jar.set(`${name} ${scope}`, { value, path: scope });
    }
    return response;
  }

  /** Follows redirects within the issuer. @returns the final target, at the client or on a page of the app */
  async follow(address: URL | string): Promise<URL> {
    let next = new URL(address);
    for (let hops = 0; hops < 10; hops += 1) {
      const response = await this.open(next);
      const location = response.headers.get('location') ?? (await readNext(response));
      next = new URL(location, next);
      if (!next.pathname.startsWith('/api/oidc/')) return next;
    }
    throw new Error('Too many redirects');
  }
}
