// ASVS: 6.5.1
// Threats: planted-passkey
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { expect, inject, test } from 'vitest';
import { loadConfirmationStep, loadSuccessStep } from '@/lib/server/web/steps';
import { inspectEmailVerification, readNewAccounts } from '@/lib/server/accounts';
import { freshEmail, NEW_PASSWORD } from '../support/account-journeys';
import { codeIn, mailsTo } from '../support/mail';
import { oobCodeIn } from '../support/recovery';
import { servePasskeys } from '../support/passkey-app';
import { SoftwareAuthenticator } from '../support/software-authenticator';
import { getIdentityAdmin } from '@/lib/server/identity/admin';
import { idTokenByCustomToken } from '../support/test-users';

const app = servePasskeys();
const { newBrowser, call, open, add, advance, expectCode } = app;

async function register(values: object = { passkey: true }) {
  const [browser, email] = [newBrowser(), freshEmail()];
  const { body } = await call(browser, 'registration', { name: 'Mia Test', email, ...values });
  const flow = String(body?.flow);
  const readMail = async (count: number) =>
    (await mailsTo({ mailboxUrl: inject('mailboxUrl') }, email, count)).at(-1) ?? { text: '' };
  const readCode = async (count: number) => codeIn(await readMail(count));
  const confirm = (code: string) => call(browser, 'registration/confirm', { flow, code });
  const resend = () => call(browser, 'registration/resend', { flow });
  const loadPage = async (load: typeof loadSuccessStep | typeof loadConfirmationStep = loadSuccessStep) => {
    const req = Object.assign(new IncomingMessage(new Socket()), { cookies: browser.cookies });
    return load({ req, res: new ServerResponse(req), query: { flow }, resolvedUrl: '/registration/success' });
  };
  return { browser, email, flow, readMail, readCode, confirm, resend, loadPage };
}

/** A registration whose code was redeemed, by a browser that the response did not reach. */
async function confirmWithoutResponse(values?: object) {
  const { confirm, ...registration } = await register(values);
  const first = await registration.readCode(1);
  expect(await confirm(first)).toMatchObject({ status: 200 });
  expectCode(await confirm(first), 410, 'code-used');
  advance(31);
  return { ...registration, confirm };
}

test('who registers by passkey, and was not signed in by the code, gets another one', async () => {
  const { browser, email, flow, readCode, confirm, resend, loadPage } = await confirmWithoutResponse();
  expect(await loadPage()).toMatchObject({ props: { signedIn: false, email, passkeyFlow: flow } });
  expect((await resend()).body).toMatchObject({ flow });
  const again = await confirm(await readCode(2));
  expect(again.status).toBe(200);
  const token = await idTokenByCustomToken(String(again.body?.customToken));
  expect(await open(browser, token)).toMatchObject({ status: 200 });
  expect(await loadPage()).toMatchObject({ redirect: { destination: '/sign-in/add-passkey' } });
  expect(await add(browser, new SoftwareAuthenticator(), {}, { source: 'registration' })).toMatchObject({
    status: 200,
  });
  // It has a passkey now, by which its owner signs in.
  advance(31);
  expectCode(await resend(), 410, 'code-used');
  expect(await loadPage()).toMatchObject({ props: { signedIn: true, email } });
});

test('an account that has got another method meanwhile gets no other code', async () => {
  const { email, resend, loadPage } = await confirmWithoutResponse();
  const { uid } = await getIdentityAdmin().getUserByEmail(email);
  await getIdentityAdmin().updateUser(uid, { password: NEW_PASSWORD });
  expectCode(await resend(), 410, 'code-used');
  expect(await loadPage()).not.toHaveProperty('props.passkeyFlow');
});

test('nor does one that was registered with a password', async () => {
  const { resend, loadPage } = await confirmWithoutResponse({ password: NEW_PASSWORD });
  expectCode(await resend(), 410, 'code-used');
  expect(await loadPage()).not.toHaveProperty('props.passkeyFlow');
});

test('the emailed link leads any tab of the browser to the passkey, also when its response was lost', async () => {
  const { browser, flow, readMail, readCode, confirm, loadPage } = await register();
  const code = oobCodeIn(await readMail(1));
  const tokens = Object.entries(browser.cookies).flatMap(([name, value]) =>
    name.includes('email-confirmation-token') && value !== undefined ? [value] : [],
  );
  const newAccounts = await readNewAccounts(browser);
  const redeem = () => call(browser, 'actions/verify-email', { code });
  const inspect = () => inspectEmailVerification(code, { tokens, newAccounts });
  expect(await loadPage(loadConfirmationStep)).toMatchObject({ props: { pending: { flow, method: 'passkey' } } });
  expect(await inspect()).toMatchObject({ state: 'same-browser' });
  expect(await redeem()).toMatchObject({
    status: 200,
    body: { method: 'passkey', flow, customToken: expect.any(String) as string },
  });
  // Still so, to who has nothing else to sign in with: the code leads on.
  expect(await inspect()).toMatchObject({ state: 'same-browser' });
  expect(await redeem()).toMatchObject({ status: 200, body: { method: 'passkey', flow } });
  const { body } = await confirm(await readCode(1));
  await open(browser, await idTokenByCustomToken(String(body?.customToken)));
  await add(browser, new SoftwareAuthenticator(), {}, { source: 'registration' });
  expect(await inspect()).toMatchObject({ state: 'verified' });
});
