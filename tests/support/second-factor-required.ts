import { mkdtempSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import type { SecondFactorRule } from '@/lib/shared/config/app-config';
import { nextSecond, type CookieJar } from './client';
import { configInForce, writeConfig } from './config-files';
import { serveSecondFactor } from './second-factor-app';
import { createWays } from './second-factor-ways';
import { fetchIdToken } from './test-users';
import { SoftwareApp } from './totp';

export const SET_UP = 'second-factor-setup-required';
export const REQUIRED = { use: 'required' } as const;
export type Rule = [name: string, rule: SecondFactorRule | undefined, isRequired: boolean];
export const RULES: Rule[] = [
  ['nothing', undefined, false],
  ['off', { use: 'off' }, false],
  ['optional', { use: 'optional' }, false],
  ['required', REQUIRED, true],
  ['required since a day', { use: 'required', from: '2020-01-01' }, true],
  ['required for its access level', { use: 'required', accessLevels: ['standard'] }, true],
  ['required for another access level', { use: 'required', accessLevels: ['staff'] }, false],
  ['announced', { use: 'required', from: '2999-01-01' }, false],
];
const pending = { signIn: 'waiting' };
const enabledIdentities = ['password', 'google.com', 'enterprise'];

/** Serves the API with rules of the origin and of organizations, which a test changes. */
export function serveWithRules() {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'second-factor-rules-'));
  const [origins, directory] = [path.join(folder, 'origins.json'), path.join(folder, 'directory.json')];
  Object.assign(process.env, { ORIGINS_FILE: origins, DIRECTORY_FILE: directory });
  type OwnRules = {
    origin?: SecondFactorRule | undefined;
    acme?: SecondFactorRule | undefined;
    countsAsTwoFactors?: boolean;
  };
  function write({ origin, acme, countsAsTwoFactors = true }: OwnRules) {
    const entries = {
      [origins]: { origins: { 'http://localhost': { enabledIdentities, secondFactor: origin } } },
      [directory]: {
        enterprises: {
          'acme.test': { name: 'Acme', provider: 'saml.acme', secondFactor: acme },
          'vault.test': { name: 'Vault', provider: 'saml.vault', countsAsTwoFactors, secondFactor: acme },
        },
      },
    };
    for (const [file, content] of Object.entries(entries)) writeConfig(file, content);
  }
  /** Sets the rules of the origin and of the organizations. */
  async function configure(rules: Parameters<typeof write>[0]): Promise<void> {
    write(rules);
    await configInForce();
  }
  write({});
  const app = serveSecondFactor();
  const { call, newBrowser, expectCode, post } = app;
  beforeEach(() => configure({}));

  /** Begins an app in a waiting sign-in. @returns a function that finishes it */
  async function beginWaiting(browser: CookieJar) {
    const { secret } = await post(browser, 'add-app', pending);
    const software = new SoftwareApp(secret);
    const codeAt = (offset: number) => software.codeAt(Math.floor((Date.now() / 1000 + offset) / 30));
    const { recoveryCodes } = await post(browser, 'confirm-app', { ...pending, code: codeAt(-30) });
    await nextSecond();
    const finish = (from = browser) =>
      call(from, 'second-factor/confirm-codes', { ...pending, recoveryCode: recoveryCodes[0] });
    return { finish, codeAt };
  }

  const wait = async (browser = newBrowser('phone')) => {
    await configure({ origin: REQUIRED });
    expectCode(await app.open(browser, await fetchIdToken(app.user)), 403, SET_UP);
    return browser;
  };
  return { ...createWays(app), app, configure, beginWaiting, wait };
}

type Rules = ReturnType<typeof serveWithRules>;

/** Tests sign-in methods at an origin with rules. */
export function testRulesByMethod({ app, ways, configure, joinOrganization }: Rules, names: string[], rules: Rule[]) {
  const { newBrowser, expectCode, assurance } = app;
  describe.each(names)('%s', (name) => {
    const signIn = (browser: CookieJar) => (ways[name] ?? expect.unreachable(name))(browser);
    beforeEach(() => (name.startsWith('an organization') ? joinOrganization('saml.acme', 'acme.test') : undefined));

    test.each(rules)(
      'an account without a second factor, where the origin says: %s',
      async (_rule, origin, isRequired) => {
        await configure({ origin });
        const browser = newBrowser('phone');
        const answer = await signIn(browser);
        if (isRequired) {
          expectCode(answer, 403, SET_UP);
          expect(Object.keys(browser.cookies)).not.toContain('_secure-user-session');
          expect(browser.cookies['pending-sign-in']).toBeDefined();
          expect(JSON.stringify(answer.body)).not.toMatch(/token/i);
        } else {
          expect(answer).toMatchObject({ status: 200 });
          expect(await assurance(browser)).toBe(1);
          expect(answer.body?.secondFactorFrom).toBe(origin && 'from' in origin ? '2999-01-01' : undefined);
        }
      },
    );
  });
}

/** Tests sign-in methods with a second factor, and with its set-up, at an origin with rules. */
export function testFactorsByMethod(rules: Rules, names: string[]): void {
  const { app, ways, configure, joinOrganization, beginWaiting } = rules;
  const { newBrowser, expectCode, assurance, enrol, show } = app;
  describe.each(names)('%s', (name) => {
    const signIn = (browser: CookieJar) => (ways[name] ?? expect.unreachable(name))(browser);
    beforeEach(() => (name.startsWith('an organization') ? joinOrganization('saml.acme', 'acme.test') : undefined));

    test.each([RULES[1], RULES[3]] as Rule[])('one with a second factor is asked for it: %s', async (_rule, origin) => {
      await enrol();
      await nextSecond();
      await configure({ origin });
      expectCode(await signIn(newBrowser('phone')), 403, 'second-factor-required');
    });

    test('sets one up, and goes on', async () => {
      await configure({ origin: REQUIRED });
      const browser = newBrowser('phone');
      expectCode(await signIn(browser), 403, SET_UP);
      const { finish, codeAt } = await beginWaiting(browser);
      const done = await finish();
      expect(done).toMatchObject({ status: 200, body: { uid: app.user.uid, email: app.user.email } });
      expect(browser.cookies['pending-sign-in']).toBeUndefined();
      expect(await assurance(browser)).toBe(2);
      expect(await app.kinds()).toEqual(expect.arrayContaining(['second-factor-on', 'signed-in']));
      await nextSecond();
      expect((await app.renew(browser)).status).toBe(200);
      // The factor is required from now on.
      const other = newBrowser();
      await app.begun(
        other,
        name.startsWith('a password reset')
          ? await fetchIdToken({ ...app.user, password: 'quiet-lantern-42' })
          : undefined,
      );
      expect(await show(other, { code: codeAt(0) })).toMatchObject({ status: 200 });
    });
  });
}

/** Tests sign-ins of an organization's accounts, to which its rules apply. */
export function testOrganizationRules(rules: Rules, cells: Rule[]): void {
  const { app, configure, joinOrganization, byOrganization } = rules;
  const { newBrowser, expectCode, advance } = app;
  test.each(cells)('an organization asks at every sign-in of its accounts: %s', async (_rule, acme, isRequired) => {
    await joinOrganization('saml.acme', 'acme.test');
    const open = newBrowser();
    expect(await byOrganization(open, 'saml.acme')).toMatchObject({ status: 200 });
    await configure({ acme });
    const answers = [
      await byOrganization(newBrowser(), 'saml.acme'),
      await app.open(newBrowser(), await fetchIdToken(app.user)),
    ];
    for (const answer of answers) {
      if (isRequired) expectCode(answer, 403, SET_UP);
      else expect(answer.status).toBe(200);
    }
    // A session is valid at every origin. So only the organization's rule ends it, at the next check.
    advance(21);
    expect(await app.check(open)).toBe(isRequired ? 401 : 200);
  });
}
