// ASVS: 6.3.3, 6.3.4
// Threats: remembered-browser-stolen, factor-skipped
import { beforeEach, describe, expect, test } from 'vitest';
import type { AppConfig } from '@/lib/shared/config/app-config';
import { cookieTable } from '@/lib/shared/cookie-table';
import { configureOrigin, serveRemembered } from '../support/remembered-browser';
import { createWays } from '../support/second-factor-ways';
import { SoftwareAuthenticator } from '../support/software-authenticator';

const app = serveRemembered();
const { assurance, expectCode, show, call } = app;
const { ways, joinOrganization } = createWays(app);

const RULES: [string, AppConfig['secondFactor']][] = [
  ['no rule', undefined],
  ['off', { use: 'off' }],
  ['required', { use: 'required' }],
];
/** A new password, or a proof of the mailbox of an account that was unverified, revokes all sign-ins: the browser is forgotten. */
const REVOKING = ['the code that confirms an email', 'a password reset by code', 'a password reset by link'];

const identities: AppConfig = { rememberBrowsers: true, enabledIdentities: ['password', 'google.com', 'enterprise'] };

describe.each(Object.entries(ways))('in a remembered browser, %s', (name, signIn) => {
  beforeEach(() => {
    configureOrigin(identities);
    return name.startsWith('an organization') ? joinOrganization('saml.acme', 'acme.test') : undefined;
  });

  test.each(RULES)('where the origin has %s', async (_rule, secondFactor) => {
    const phone = await app.remember(await app.enrol());
    configureOrigin({ ...identities, ...(secondFactor && { secondFactor }) });
    const answer = await signIn(phone);
    if (REVOKING.includes(name)) return expectCode(answer, 403, 'second-factor-required');
    expect(answer).toMatchObject({ status: 200 });
    expect(await assurance(phone)).toBe(1);
  });

  test('is asked for a code when the platform asks for two factors', async () => {
    const enrolled = await app.enrol();
    const phone = await app.remember(enrolled);
    phone.cookies[cookieTable.acrValues.name] = 'aal2';
    expectCode(await signIn(phone), 403, 'second-factor-required');
    expect(await show(phone, { code: enrolled.codeAt(30) })).toMatchObject({ status: 200 });
    expect(await assurance(phone)).toBe(2);
  });
});

test('in a remembered browser, a passkey is two factors', async () => {
  configureOrigin(identities);
  const enrolled = await app.enrol();
  const authenticator = new SoftwareAuthenticator();
  expect(await app.add(enrolled.laptop, authenticator)).toMatchObject({ status: 200 });
  const phone = await app.remember(enrolled);
  expect(await app.use(phone, authenticator)).toMatchObject({ status: 200 });
  expect(await assurance(phone)).toBe(2);
});

describe('a session of a remembered browser is raised to two factors', () => {
  beforeEach(() => configureOrigin(identities));

  test('by a code, once', async () => {
    const enrolled = await app.enrol();
    const phone = await app.remember(enrolled);
    expect(await app.signInAgain(phone)).toMatchObject({ status: 200 });
    expectCode(await call(phone, 'second-factor/step-up', { code: enrolled.app.wrongCode() }), 400, 'code-wrong');
    expect(await assurance(phone)).toBe(1);
    const code = enrolled.codeAt(30);
    const copy = phone.copy();
    expect(await call(phone, 'second-factor/step-up', { code })).toMatchObject({
      status: 200,
      body: { codesLeft: null },
    });
    expect(await assurance(phone)).toBe(2);
    expectCode(await call(copy, 'second-factor/step-up', { code }), 410, 'code-used');
    // The cookie from before stays what it was.
    expect(await assurance(copy)).toBe(1);
  });

  test('by a recovery code, which says how many are left', async () => {
    const enrolled = await app.enrol();
    const phone = await app.remember(enrolled);
    expect(await app.signInAgain(phone)).toMatchObject({ status: 200 });
    const recoveryCode = enrolled.codes[2];
    expect(await call(phone, 'second-factor/step-up', { recoveryCode })).toMatchObject({ body: { codesLeft: 9 } });
    expect(await assurance(phone)).toBe(2);
  });
});
