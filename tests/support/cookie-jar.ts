import { stringifyCookie } from 'cookie';
import { post, type Answer } from './client';

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

  /** Calls the API with the cookies in the jar, and stores those of the response. */
  async post(address: string, body?: unknown): Promise<Answer> {
    const answer = await post(address, { body, headers: { ...this.headers, cookie: stringifyCookie(this.cookies) } });
    for (const [name, { value = '', maxAge }] of Object.entries(answer.cookies)) {
      if (maxAge === 0) delete this.cookies[name];
      else this.cookies[name] = value;
    }
    return answer;
  }
}
