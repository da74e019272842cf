import { beforeEach, inject, vi } from 'vitest';
import { CookieJar } from './client';
import { linksIn, mailsBesidesAlerts, type Mail } from './mail';
import { createTestUser, type TestUser } from './test-users';
import { servedRoutes } from './served-routes';

export const NEW_PASSWORD = 'quiet-lantern-42';

/** Provides a separate user for each test, who has forgotten the password, and the recovery requests of one browser. */
export class Recovery {
  jar = new CookieJar();
  user: TestUser = { uid: '', email: '', name: '', password: '' };
  readonly app = servedRoutes();

  /** Call at the top of a test file. */
  constructor() {
    beforeEach(async () => {
      vi.useRealTimers();
      this.jar = new CookieJar();
      this.user = await createTestUser();
    });
  }

  ask = (email = this.user.email, by = this.jar) => by.post(`${this.app.origin}/api/password-reset`, { email });

  askAgain = () => this.jar.post(`${this.app.origin}/api/password-reset/resend`);

  reset = (code: string, password = NEW_PASSWORD, by = this.jar) =>
    by.post(`${this.app.origin}/api/password-reset/confirm`, { code, password });

  resetByLink = (oobCode: string, password = NEW_PASSWORD, by = this.jar) =>
    by.post(`${this.app.origin}/api/actions/reset-password`, { oobCode, password });

  lastMail = async (count = 1, to = this.user.email) =>
    (await mailsBesidesAlerts({ mailboxUrl: inject('mailboxUrl') }, to, count)).at(-1) as Mail;
}

export const oobCodeIn = (mail: Pick<Mail, 'text'>) =>
  new URL(linksIn(mail)[0] ?? '').searchParams.get('oobCode') ?? '';
