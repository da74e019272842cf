// Threats: unproved-rename, forged-disavowal, planted-passkey, planted-factor
// Someone who knows the password, or once had a session, takes an account from its owner. The email is moved at the
// identity provider, or an answer or link is kept until the owner has secured the account.
import { describe, expect, test } from 'vitest';
import { tokenBy } from '../../support/accounts-client';
import { attackTools, readPageData } from '../../support/attack';
import { nextSecond, type CookieJar } from '../../support/client';
import { codeIn, linksIn, readMailbox } from '../../support/mail';
import { registerOwner } from '../../support/registered';
import { enrolApp } from '../../support/second-factor';
import { SoftwareAuthenticator } from '../../support/software-authenticator';

const { at, browser, freshEmail, accounts, endpoints, provider } = attackTools();
const CHANGE = 'VERIFY_AND_CHANGE_EMAIL';
const PATIENTLY = { timeout: 60_000, interval: 1_000 };
const SECURED = 'We secured your Campus account';
const UNDONE = 'We undid a sign-in to your Campus account';

type Owner = Awaited<ReturnType<typeof registerOwner>>;
const call = (by: CookieJar, path: string, body: object = {}) => by.post(at(`/api/${path}`), body);
const fetchToken = (owner: Pick<Owner, 'email' | 'password'>) => tokenBy(endpoints, 'signInWithPassword', owner);
const readSubjects = async (email: string) => (await readMailbox(endpoints, email)).map(({ subject }) => subject);
const awaitMail = async (email: string, subject: string) => {
  await expect.poll(() => readSubjects(email), PATIENTLY).toContain(subject);
  return (await readMailbox(endpoints, email)).findLast((mail) => mail.subject === subject) ?? { text: '' };
};
const getCode = (mail: { text: string }) => new URL(linksIn(mail)[0] ?? '').searchParams.get('oobCode');

type Options = Parameters<SoftwareAuthenticator['create']>[0] & Parameters<SoftwareAuthenticator['get']>[0];
const begin = async (by: CookieJar, path: string, body: object = {}) =>
  (await call(by, `passkeys/${path}`, body)).body as { challenge: string; options: Options };
async function addPasskey(by: CookieJar) {
  const key = new SoftwareAuthenticator();
  const { challenge, options } = await begin(by, 'creation-options', { source: 'settings' });
  const response = key.create(options, { origin: endpoints.appOrigin });
  expect((await call(by, 'passkeys/add', { challenge, response })).status).toBe(200);
  return key;
}
async function signInWithPasskey(key: SoftwareAuthenticator, by = browser()) {
  const { challenge, options } = await begin(by, 'sign-in-options');
  const answer = await call(by, 'passkeys/sign-in', {
    challenge,
    response: key.get(options, { origin: endpoints.appOrigin }),
  });
  return { by, status: answer.status, code: answer.body?.code };
}
const readOwnUid = async (by: CookieJar) => (await call(by, 'check-auth-status')).body?.uid;

async function register() {
  const laptop = browser();
  const owner = await registerOwner(endpoints, (path, body) => laptop.post(at(path), body));
  return { laptop, owner, uid: await readOwnUid(laptop) };
}

describe('an account that was moved to the mailbox of someone who knows the password', () => {
  async function moveAndSquat() {
    const { laptop, owner, uid } = await register();
    const key = await addPasskey(laptop);
    await enrolApp(endpoints, owner);
    const thief = freshEmail('mallory.test');
    const idToken = await fetchToken(owner);
    await provider('accounts:sendOobCode', { requestType: CHANGE, idToken, newEmail: thief });
    const oobCode = await accounts.readProviderCode(owner.email, CHANGE);
    expect((await provider('accounts:update', { oobCode })).body.email).toBe(thief);
    // Another account blocks the owner's email.
    expect((await provider('accounts:signUp', { email: owner.email, password: 'mallory-pass-1' })).status).toBe(200);
    await nextSecond();
    return { owner, uid, key, thief };
  }

  test('is back at the owner’s passkey, whatever was asked for at the new email before', async () => {
    const { owner, uid, key, thief } = await moveAndSquat();
    // A request at the new email once removed every passkey.
    expect((await call(browser(), 'sign-in-help', { email: thief })).status).toBe(200);
    await awaitMail(owner.email, SECURED);
    const by = browser();
    // Polled, because the email is written first. No user can sign in while the account is restored.
    await expect.poll(async () => (await signInWithPasskey(key, by)).status, PATIENTLY).toBe(200);
    expect((await call(by, 'check-auth-status')).body).toMatchObject({ uid, email: owner.email });
    expect(await accounts.exists(thief)).toBe(false);
    // The thief's knowledge does not open anything any more.
    expect((await provider('accounts:signInWithPassword', owner)).status).toBe(400);
    // A new password of the mailbox leads neither to another account nor past the second factor.
    const phone = browser();
    expect((await call(phone, 'password-reset', { email: owner.email })).status).toBe(200);
    const isCode = ({ subject }: { subject: string }) => subject.endsWith('is your Campus reset code');
    const readCodes = async () => (await readMailbox(endpoints, owner.email)).filter(isCode);
    await expect.poll(async () => (await readCodes()).length, PATIENTLY).toBe(1);
    const mail = (await readCodes()).at(-1) ?? { text: '' };
    const password = 'staple-battery-9';
    const reset = await call(phone, 'password-reset/confirm', { code: codeIn(mail), password });
    expect([reset.status, reset.body?.code]).toEqual([200, undefined]);
    const signedIn = await provider('accounts:signInWithPassword', {
      ...{ email: owner.email, password },
      returnSecureToken: true,
    });
    expect(signedIn.body.localId).toBe(uid);
    // The account still requires the second factor.
    const opened = await call(phone, 'create-user-session', { token: signedIn.body.idToken });
    expect([opened.status, opened.body?.code]).toEqual([403, 'second-factor-required']);
  });
});

describe('what undoes a sign-in, kept until its owner has secured the account', () => {
  async function keepAnswerAndLink() {
    const { laptop, owner, uid } = await register();
    await nextSecond();
    const phone = browser();
    expect((await call(phone, 'create-user-session', { token: await fetchToken(owner) })).status).toBe(200);
    const link = getCode(await awaitMail(owner.email, 'New sign-in to Campus'));
    const page = await fetch(at('/security'), { headers: { cookie: laptop.cookieHeader } });
    const { signIns } = readPageData(await page.text())?.props.pageProps as { signIns: { id: string }[] };
    const session = signIns[0]?.id;
    const answer = (await call(laptop, 'account/check-sign-in', { session, isOwn: false })).body?.code;
    expect([typeof answer, typeof link]).toEqual(['string', 'string']);
    const thief = laptop.copy();
    // On the phone, the owner adds a passkey and the second factor, and ends every other session.
    const key = await addPasskey(phone);
    const app = await enrolApp(endpoints, owner);
    await nextSecond();
    const { by } = await signInWithPasskey(key, phone);
    expect((await call(by, 'account/end-sessions', { others: true })).status).toBe(200);
    return { owner, uid, key, app, phone: by, thief, answer, link };
  }

  test('takes nothing from the owner', async () => {
    const { owner, uid, key, phone, thief, answer, link } = await keepAnswerAndLink();
    for (const by of [browser(), thief]) {
      const undone = await call(by, 'actions/disavow-sign-in', { code: answer });
      expect([undone.status, undone.body?.code]).toEqual([410, 'action-code-invalid']);
    }
    // The emailed link only causes another email to the mailbox.
    expect(await call(browser(), 'actions/disavow-sign-in', { code: link })).toMatchObject({
      status: 200,
      body: { email: null, asksMailbox: true },
    });
    expect(await readOwnUid(phone)).toBe(uid);
    expect((await signInWithPasskey(key)).status).toBe(200);
    const opened = await call(browser(), 'create-user-session', { token: await fetchToken(owner) });
    expect([opened.status, opened.body?.code]).toEqual([403, 'second-factor-required']);
    expect(await readSubjects(owner.email)).not.toContain(UNDONE);
  });
});
