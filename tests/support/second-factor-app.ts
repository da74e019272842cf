import { expect } from 'vitest';
import { getIdentityAdmin } from '@/lib/server/identity/admin';
import { getRecords } from '@/lib/server/storage/records';
import { readSecondFactor } from '@/lib/server/second-factor/factors';
import { nextSecond, type Answer, type CookieJar } from './client';
import { servePasskeys } from './passkey-app';
import { fetchIdToken } from './test-users';
import { awaitRoomInStep, SoftwareApp } from './totp';

export type SecondFactorApp = ReturnType<typeof serveSecondFactor>;
/** An authenticator app of a test, with the recovery codes that it came with. */
export type Enrolled = { laptop: CookieJar; app: SoftwareApp; codes: string[]; codeAt: (offset?: number) => string };

/** Serves the API with a separate database and with learners who turn on a second factor. */
export function serveSecondFactor() {
  const app = servePasskeys();
  const { call, newBrowser, signIn } = app;

  const post = async (browser: CookieJar, path: string, body: object = {}) => {
    const answer = await call(browser, `second-factor/${path}`, body);
    expect([answer.status, answer.body?.code]).toEqual([200, undefined]);
    return answer.body as { id: string; secret: string; recoveryCodes: string[]; customToken: string };
  };
  const getCodeAt =
    (software: SoftwareApp) =>
    (offset = 0) =>
      software.codeAt(Math.floor((Date.now() / 1000 + offset) / 30));

  /** Begins an app and shows its code of 30 seconds ago, so that the current code stays unused. */
  const begin = async (browser: CookieJar, body: object = {}) => {
    const { secret } = await post(browser, 'add-app', body);
    const software = new SoftwareApp(secret);
    const codeAt = getCodeAt(software);
    await awaitRoomInStep();
    const { recoveryCodes } = await post(browser, 'confirm-app', { code: codeAt(-30) });
    return { app: software, codeAt, codes: recoveryCodes };
  };
  /** Turns on the second factor of the test's user on a laptop. */
  const enrol = async (): Promise<Enrolled> => {
    const laptop = newBrowser();
    await signIn(laptop);
    const begun = await begin(laptop);
    await nextSecond();
    await post(laptop, 'confirm-codes', { recoveryCode: begun.codes[0] });
    return { laptop, ...begun };
  };
  /** Shows the first factor. */
  const begun = async (browser: CookieJar, token?: string): Promise<Answer> => {
    const answer = await app.open(browser, token ?? (await fetchIdToken(app.user)));
    app.expectCode(answer, 403, 'second-factor-required');
    return answer;
  };
  const show = (browser: CookieJar, code: object) => call(browser, 'second-factor/sign-in', code);
  const read = async () => readSecondFactor(await getRecords(), app.user.uid);
  const claims = async () => (await getIdentityAdmin().getUser(app.user.uid)).customClaims ?? {};
  const assurance = async (browser: CookieJar) => (await call(browser, 'check-auth-status')).body?.assurance;

  return Object.assign(Object.create(app) as typeof app, {
    post,
    begin,
    enrol,
    begun,
    show,
    read,
    claims,
    assurance,
  });
}
