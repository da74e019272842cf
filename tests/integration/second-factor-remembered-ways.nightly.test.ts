// ASVS: 6.3.3, 6.3.4
// Threats: remembered-browser-stolen, factor-skipped
// Every sign-in method: second-factor-remembered-ways.nightly.test.ts.
import { beforeEach, describe, expect, test } from 'vitest';
import { configureOrigin, serveRemembered } from '../support/remembered-browser';
import { identities, testRememberedByMethod } from '../support/remembered-browser-ways';
import { SoftwareAuthenticator } from '../support/software-authenticator';

const app = serveRemembered();
const { assurance, expectCode, call } = app;

testRememberedByMethod(app, ['password']);

test('in a remembered browser, a passkey is two factors', async () => {
  await configureOrigin(identities);
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
    // The earlier cookie keeps its assurance.
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
