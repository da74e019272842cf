import { stringifyCookie } from 'cookie';
import { post, type Answer } from './client';

/** A browser's cookies, for flows over several calls. */
export class Jar {
  readonly cookies: Record<string, string> = {};

  /** @param headers that go with every call */
  constructor(private readonly headers: Record<string, string> = {}) {}

  /** One more browser with the same cookies. */
  copy(): Jar {
    const jar = new Jar(this.headers);
    Object.assign(jar.cookies, this.cookies);
    return jar;
  }

  /** Calls the API with what is in the jar, and keeps what it answers. */
  async post(address: string, body?: unknown): Promise<Answer> {
    const answer = await post(address, { body, headers: { ...this.headers, cookie: stringifyCookie(this.cookies) } });
    for (const [name, { value = '', maxAge }] of Object.entries(answer.cookies)) {
      if (maxAge === 0) delete this.cookies[name];
      else this.cookies[name] = value;
    }
    return answer;
  }
}
