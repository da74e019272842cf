import type { Endpoints } from '../../scripts/lib/stack.mjs';
import { tokenBy, type TestUser } from './accounts-client';
import { CookieJar } from './client';
import { SoftwareApp } from './totp';

export type EnrolledApp = {
  secret: string;
  recoveryCodes: string[];
  /** @param offset seconds from now */
  codeAt: (offset?: number) => string;
  wrongCode: () => string;
};

/**
 * Turns on the second factor of an account as its owner does. It uses the code of 30 seconds ago, so that the current
 * code stays unused.
 */
export async function enrolApp(endpoints: Endpoints, user: TestUser): Promise<EnrolledApp> {
  const browser = new CookieJar({ origin: endpoints.appOrigin, 'sec-fetch-site': 'same-origin' });
  const call = async (path: string, body: object) => {
    const answer = await browser.post(`${endpoints.appOrigin}/api/${path}`, body);
    if (answer.status !== 200) throw new Error(`${path}: ${JSON.stringify(answer.body)}`);
    return answer.body as { secret: string; recoveryCodes: string[] };
  };
  await call('create-user-session', { token: await tokenBy(endpoints, 'signInWithPassword', user) });
  const { secret } = await call('second-factor/add-app', {});
  const app = new SoftwareApp(secret);
  const codeAt = (offset = 0) => app.codeAt(Math.floor((Date.now() / 1000 + offset) / 30));
  // This is refused if the step changes in between, because the code is then 60 s old.
  const confirm = () => call('second-factor/confirm-app', { code: codeAt(-30) });
  const { recoveryCodes } = await confirm().catch(confirm);
  await call('second-factor/confirm-codes', { recoveryCode: recoveryCodes[0] ?? '' });
  return { secret, recoveryCodes, codeAt, wrongCode: () => app.wrongCode() };
}
