// ASVS: 6.5.1
// Threats: factor-replayed, factor-guessed, split-state
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CookieJar, nextSecond, type Answer } from '../support/client';
import { hasPostgres, startDatabases } from '../support/databases';
import { startRoutesProcess, type RoutesProcess } from '../support/served-routes';
import { createTestUser, fetchIdToken, type TestUser } from '../support/test-users';
import { awaitRoomInStep, SoftwareApp } from '../support/totp';

describe.skipIf(!hasPostgres)('two processes with one database, and no Redis', () => {
  let databases: Awaited<ReturnType<typeof startDatabases>>;
  let processes: RoutesProcess[] = [];
  let calls = 0;
  beforeAll(async () => {
    databases = await startDatabases('postgres');
    const choice = await databases.create();
    const DATABASE_URL = choice.kind === 'postgres' ? choice.url : '';
    const startOne = () => startRoutesProcess({ DATABASE_URL });
    processes = await Promise.all([startOne(), startOne()]);
  });
  afterAll(async () => {
    await Promise.all(processes.map((each) => each.stop()));
    await databases.stop();
  });

  const newBrowser = () => new CookieJar({ origin: 'http://localhost:3000', 'sec-fetch-site': 'same-origin' });
  /** Sends each call to the process that did not get the previous call. */
  const call = (browser: CookieJar, path: string, body: object = {}): Promise<Answer> => {
    calls += 1;
    return browser.post(`${processes[calls % 2]?.origin ?? ''}/api/${path}`, body);
  };
  const show = (browser: CookieJar, code: object) => call(browser, 'second-factor/sign-in', code);
  const enrol = async () => {
    const [user, laptop] = [await createTestUser(), newBrowser()];
    await call(laptop, 'create-user-session', { token: await fetchIdToken(user) });
    const { secret } = (await call(laptop, 'second-factor/add-app')).body as { secret: string };
    const app = new SoftwareApp(secret);
    const codeAt = (offset = 0) => app.codeAt(Math.floor((Date.now() / 1000 + offset) / 30));
    await awaitRoomInStep();
    const { recoveryCodes } = (await call(laptop, 'second-factor/confirm-app', { code: codeAt(-30) })).body as {
      recoveryCodes: string[];
    };
    await nextSecond();
    const [recoveryCode] = recoveryCodes;
    expect((await call(laptop, 'second-factor/confirm-codes', { recoveryCode })).status).toBe(200);
    return { user, app, codeAt, recoveryCodes };
  };
  const begin = async (user: TestUser) => {
    const browser = newBrowser();
    const answer = await call(browser, 'create-user-session', { token: await fetchIdToken(user) });
    expect(answer.body).toMatchObject({ code: 'second-factor-required' });
    return browser;
  };
  const getCodes = (answers: Answer[]) =>
    answers.map(({ status, body }) => (status === 200 ? 'open' : body?.code)).sort();

  test('a code of an app, and one for recovery, open one session, in whichever process', async () => {
    const { user, codeAt, recoveryCodes } = await enrol();
    for (const given of [() => ({ code: codeAt() }), () => ({ recoveryCode: recoveryCodes[3] })]) {
      await nextSecond();
      const browsers = await Promise.all([0, 1, 2, 3].map(() => begin(user)));
      const answers = await Promise.all(browsers.map((browser) => show(browser, given())));
      expect(getCodes(answers)).toEqual(['code-used', 'code-used', 'code-used', 'open']);
    }
  });

  test('a sign-in that waits opens one session, by whichever code', async () => {
    const { user, codeAt, recoveryCodes } = await enrol();
    await nextSecond();
    const phone = await begin(user);
    const given = [
      { code: codeAt() },
      { code: codeAt(30) },
      { recoveryCode: recoveryCodes[1] },
      { recoveryCode: recoveryCodes[2] },
    ];
    const answers = await Promise.all(given.map((code) => show(phone.copy(), code)));
    expect(getCodes(answers).filter((code) => code === 'open')).toHaveLength(1);
  });

  test('a sign-in that waits has five tries, which both processes count', async () => {
    const { user, app, codeAt } = await enrol();
    await nextSecond();
    const phone = await begin(user);
    const wrong = Array.from({ length: 9 }, () => phone.copy());
    const answers = await Promise.all(wrong.map((copy) => show(copy, { code: app.wrongCode() })));
    expect(getCodes(answers)).toEqual([
      ...Array<string>(5).fill('code-locked'),
      ...Array<string>(4).fill('code-wrong'),
    ]);
    expect(getCodes([await show(phone.copy(), { code: codeAt() })])).toEqual(['code-locked']);
  });
});
