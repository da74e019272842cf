// ASVS: 6.3.3
// Threats: factor-skipped
import { describe, expect, test } from 'vitest';
import { nextSecond } from '../support/client';
import { serveSecondFactor } from '../support/second-factor-app';
import { fetchIdToken, idTokenByCustomToken } from '../support/test-users';
import { createLinkCode } from '../support/sign-in-link';

const app = serveSecondFactor();
const { call, newBrowser, expectCode, enrol, assurance } = app;
const SET_UP = 'second-factor-setup-required';

describe('a platform that asks for two factors', () => {
  const asked = (agent: 'laptop' | 'phone' = 'phone') => {
    const browser = newBrowser(agent);
    browser.cookies.acr_values = 'aal2';
    return browser;
  };

  test('gets them at the sign-in, from an account with and without a second factor', async () => {
    expectCode(await app.open(asked(), await fetchIdToken(app.user)), 403, SET_UP);
    const code = await createLinkCode(app.user);
    expectCode(await call(asked(), 'actions/sign-in', { code, email: app.user.email }), 403, SET_UP);
    // When two factors are required, the link is used up by the request for the second.
    expectCode(await call(asked(), 'actions/sign-in', { code, email: app.user.email }), 410, 'action-code-invalid');
    const browser = asked();
    browser.cookies.acr_values = 'aal3 or so';
    expect(await app.open(browser, await fetchIdToken(app.user))).toMatchObject({ status: 200 });
    await enrol();
    await nextSecond();
    expectCode(await app.open(asked(), await fetchIdToken(app.user)), 403, 'second-factor-required');
  });

  test('does not end the session that is there', async () => {
    const laptop = newBrowser();
    await app.signIn(laptop);
    laptop.cookies.acr_values = 'aal2';
    await nextSecond();
    expect((await app.renew(laptop)).status).toBe(200);
    expect(await assurance(laptop)).toBe(1);
  });

  test('gets a session that has shown a code again, which keeps its proof', async () => {
    const { laptop, codeAt, codes } = await enrol();
    await nextSecond();
    const [session] = await app.list();
    expectCode(await call(newBrowser(), 'second-factor/step-up', { code: codeAt() }), 401, 'session-required');
    const code = codeAt();
    expect(await call(laptop, 'second-factor/step-up', { code })).toMatchObject({
      status: 200,
      body: { codesLeft: null },
    });
    expectCode(await call(laptop, 'second-factor/step-up', { code }), 410, 'code-used');
    expect(await assurance(laptop)).toBe(2);
    expect((await app.list()).map(({ id }) => id)).toEqual([session?.id]);
    await nextSecond();
    expect(await call(laptop, 'second-factor/step-up', { recoveryCode: codes[4] })).toMatchObject({
      status: 200,
      body: { codesLeft: 9 },
    });
    expectCode(await call(laptop, 'second-factor/step-up', { recoveryCode: codes[4] }), 410, 'code-used');
  });

  test('is refused codes of an account that has none: nothing is counted', async () => {
    const laptop = newBrowser();
    await app.signIn(laptop);
    const body = { token: await fetchIdToken(app.user), code: '000000' };
    expectCode(await call(laptop, 'second-factor/prove', body), 404, 'not-found');
    for (let count = 0; count < 10; count += 1)
      expectCode(await call(laptop, 'second-factor/step-up', { code: '000000' }), 404, 'not-found');
    expect(await app.kinds()).not.toContain('factor-locked');
  });

  test('accepts codes of an app that is set up after guesses at none', async () => {
    for (let round = 0; round < 2; round += 1) {
      const stranger = asked();
      expectCode(await app.open(stranger, await fetchIdToken(app.user)), 403, SET_UP);
      for (let wrong = 0; wrong < 5; wrong += 1) await app.show(stranger, { code: '000000' });
    }
    expect(await app.kinds()).toContain('factor-locked');
    const { codeAt } = await enrol();
    const phone = newBrowser('phone');
    await app.begun(phone);
    expect(await app.show(phone, { code: codeAt() })).toMatchObject({ status: 200 });
  });

  test('cannot be answered with the token of a first factor', async () => {
    const laptop = newBrowser();
    await app.signIn(laptop);
    const { customToken } = (await call(laptop, 'auto-sign-in')).body ?? {};
    expectCode(await app.open(asked(), await idTokenByCustomToken(String(customToken))), 403, SET_UP);
  });
});
