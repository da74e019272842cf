// ASVS: 6.5.1
// Threats: forged-passkey, split-state
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CookieJar } from '../support/client';
import { hasPostgres, startDatabases } from '../support/databases';
import { startRoutesProcess, type RoutesProcess } from '../support/served-routes';
import { SoftwareAuthenticator } from '../support/software-authenticator';
import { production, start } from '../support/start-process';
import { createTestUser, fetchIdToken } from '../support/test-users';

type Begun = {
  options: Parameters<SoftwareAuthenticator['get']>[0] & Parameters<SoftwareAuthenticator['create']>[0];
  challenge: string;
};

describe.skipIf(!hasPostgres)('two processes with one database, and no Redis', () => {
  let databases: Awaited<ReturnType<typeof startDatabases>>;
  let url: string;
  let processes: RoutesProcess[] = [];
  beforeAll(async () => {
    databases = await startDatabases('postgres');
    const choice = await databases.create();
    url = choice.kind === 'postgres' ? choice.url : '';
    const startOne = () => startRoutesProcess({ DATABASE_URL: url });
    processes = await Promise.all([startOne(), startOne()]);
  });
  afterAll(async () => {
    await Promise.all(processes.map((each) => each.stop()));
    await databases.stop();
  });

  const newBrowser = () => new CookieJar({ origin: 'http://localhost:3000', 'sec-fetch-site': 'same-origin' });
  const call = (browser: CookieJar, process: number, path: string, body?: object) =>
    browser.post(`${processes[process]?.origin ?? ''}/api/${path}`, body);
  const enroll = async () => {
    const [user, browser, authenticator] = [await createTestUser(), newBrowser(), new SoftwareAuthenticator()];
    await call(browser, 0, 'create-user-session', { token: await fetchIdToken(user) });
    const begun = (await call(browser, 0, 'passkeys/creation-options', { source: 'settings' })).body as Begun;
    const body = { challenge: begun.challenge, response: authenticator.create(begun.options) };
    // The ceremony begins in one process and ends in the other.
    expect((await call(browser, 1, 'passkeys/add', body)).status).toBe(200);
    return authenticator;
  };

  test('an assertion opens one session, in whichever process, at once and later', async () => {
    const authenticator = await enroll();
    for (let round = 0; round < 5; round += 1) {
      const { options, challenge } = (await call(newBrowser(), round % 2, 'passkeys/sign-in-options')).body as Begun;
      const body = { challenge, response: authenticator.get(options) };
      const answers = await Promise.all(
        [0, 1, 0, 1].map((process) => call(newBrowser(), process, 'passkeys/sign-in', body)),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 410, 410, 410]);
      expect((await call(newBrowser(), (round + 1) % 2, 'passkeys/sign-in', body)).body).toMatchObject({
        code: 'passkey-challenge-expired',
      });
    }
  });

  test('a start with another RP ID than that of the passkeys is refused, with both', async () => {
    await enroll();
    const { status, stdout } = start({ ...production, DATABASE_URL: url });
    expect(status).toBe(1);
    const line = JSON.parse(stdout.trim().split('\n').at(-1) ?? '{}') as Record<string, string>;
    expect(line).toMatchObject({ variable: 'PASSKEY_RP_ID' });
    expect(line.problem).toMatch(/is id\.campus\.example, but there are passkeys of localhost/);
    // If passkeys are turned off, stored passkeys stay unchanged.
    expect(start({ ...production, DATABASE_URL: url, PASSKEY_RP_ID: 'off' }).status).toBe(0);
  });
});
