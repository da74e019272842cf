import { randomUUID } from 'node:crypto';
import { beforeEach, inject, vi } from 'vitest';
import { CookieJar } from './client';
import { codeIn, mailsTo } from './mail';
import { servedRoutes } from './served-routes';

/** Provides an unused email for each test, and the requests that register it in one browser. */
export class Registration {
  jar = new CookieJar();
  email = '';
  readonly app = servedRoutes();

  /** Call at the top of a test file. */
  constructor() {
    beforeEach(() => {
      vi.useRealTimers();
      this.jar = new CookieJar();
      this.email = `${randomUUID()}@campus.test`;
    });
  }

  register = (values: object = {}, by = this.jar) =>
    by.post(`${this.app.origin}/api/registration`, { ...this.values(), ...values });

  values = () => ({ name: 'Mia Moreau', email: this.email, password: 'quiet-lantern-42' });

  confirm = (code: string, by = this.jar) => by.post(`${this.app.origin}/api/registration/confirm`, { code });

  resend = () => this.jar.post(`${this.app.origin}/api/registration/resend`);

  mails = (count = 1, to = this.email) => mailsTo({ mailboxUrl: inject('mailboxUrl') }, to, count);

  lastCode = async (count = 1) => codeIn((await this.mails(count)).at(-1) ?? { text: '' });
}
