import { expect, test } from 'vitest';
import { attackTools } from '../../support/attack';
import { codeIn } from '../../support/mail';
import type { CookieJar } from '../../support/client';

const { at, browser, freshEmail, mails, accounts, endpoints, provider, signInWithIdp } = attackTools();
const OWN = 'quiet-lantern-42';
const ATTACKERS = 'attacker-pass-1';
/** Before the fix, the attacker won each race at least twice in this many attempts. */
const TRIES = 8;

const create = (token: unknown, by = browser()) => by.post(at('/api/create-user-session'), { token });
const signUp = async (email: string) => {
  const { body } = await provider('accounts:signUp', { email, password: ATTACKERS, returnSecureToken: true });
  return { idToken: String(body.idToken), uid: String(body.localId) };
};
const update = (change: object) => provider('accounts:update', { returnSecureToken: true, ...change });
const google = (sub: string, idToken?: string) =>
  signInWithIdp('google.com', { sub, email: sub, email_verified: true }, idToken);
const signIn = (email: string, password: string) =>
  provider('accounts:signInWithPassword', { email, password, returnSecureToken: true });

/** Returns the newest code of a kind that the identity provider issued for an email. */
async function providerCode(email: string, kind: string): Promise<string> {
  const list = await fetch(`http://${endpoints.emulatorHost}/emulator/v1/projects/${endpoints.projectId}/oobCodes`);
  type Code = { email: string; requestType: string; oobCode: string };
  const { oobCodes } = (await list.json()) as { oobCodes: Code[] };
  return oobCodes.filter((code) => code.email === email && code.requestType === kind).at(-1)?.oobCode ?? '';
}

async function askForReset(email: string, by: CookieJar): Promise<() => ReturnType<CookieJar['post']>> {
  await by.post(at('/api/password-reset'), { email });
  const code = codeIn((await mails(email)).at(-1) ?? { text: '' });
  return () => by.post(at('/api/password-reset/confirm'), { code, password: OWN });
}

test('an attacker who links and unlinks during a reset has no method left afterwards', async () => {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const [email, mallory] = [freshEmail(), freshEmail('mallory.test')];
    const { idToken, uid } = await signUp(email);
    const reset = await askForReset(email, browser());
    let over = false;
    const toggling = (async () => {
      while (!over) {
        if ((await google(mallory, idToken)).status !== 200) return;
        if ((await update({ idToken, deleteProvider: ['google.com'] })).status !== 200) return;
      }
    })();
    expect((await reset()).status).toBe(200);
    over = true;
    await toggling;
    expect(await accounts.fetchMethods({ uid })).toEqual(['password']);
    expect((await google(mallory)).body.localId).not.toBe(uid);
  }
});

test('the proof of one mailbox does not verify an email that is set in between', async () => {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const [own, victims] = [freshEmail('mallory.test'), freshEmail()];
    const { idToken, uid } = await signUp(own);
    const by = browser();
    await by.post(at('/api/email-confirmation'), { token: idToken });
    const code = codeIn((await mails(own)).at(-1) ?? { text: '' });
    const confirming = by.post(at('/api/registration/confirm'), { code });
    await new Promise((resolve) => setTimeout(resolve, 2 + 1.5 * tries));
    await update({ idToken, email: victims });
    await confirming;
    const { email, emailVerified } = await accounts.fetchRecord({ uid });
    expect(email === victims && emailVerified === true).toBe(false);
  }
});

test('a reset removes an attacker’s second factor', async () => {
  const [own, victims] = [freshEmail('mallory.test'), freshEmail()];
  const { idToken: first } = await signUp(own);
  await provider('accounts:sendOobCode', { requestType: 'VERIFY_EMAIL', idToken: first });
  await update({ oobCode: await providerCode(own, 'VERIFY_EMAIL') });
  const { idToken } = (await signIn(own, ATTACKERS)).body;
  const base = `http://${endpoints.emulatorHost}`;
  const enroll = async (step: 'start' | 'finalize', body: object) => {
    const address = `${base}/identitytoolkit.googleapis.com/v2/accounts/mfaEnrollment:${step}?key=local`;
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(address, { method: 'POST', headers, body: JSON.stringify({ idToken, ...body }) });
    expect(answer.status).toBe(200);
    return (await answer.json()) as { idToken?: string };
  };
  await enroll('start', { phoneEnrollmentInfo: { phoneNumber: '+15555550100' } });
  const list = await fetch(`${base}/emulator/v1/projects/${endpoints.projectId}/verificationCodes`);
  const { verificationCodes } = (await list.json()) as { verificationCodes: { sessionInfo: string; code: string }[] };
  const { idToken: enrolled } = await enroll('finalize', { phoneVerificationInfo: verificationCodes.at(-1) });
  expect((await update({ idToken: enrolled, email: victims })).status).toBe(200);

  expect((await (await askForReset(victims, browser()))()).status).toBe(200);
  expect((await create(await accounts.idToken({ email: victims, password: OWN }))).status).toBe(200);
});

test('restoring an earlier email on an account does not give access', async () => {
  const [own, victims] = [freshEmail('mallory.test'), freshEmail()];
  const { idToken, uid } = await signUp(own);
  await update({ idToken, email: victims });
  const owner = browser();
  expect((await (await askForReset(victims, owner))()).status).toBe(200);
  expect((await create(await accounts.idToken({ email: victims, password: OWN }), owner)).status).toBe(200);

  expect((await update({ oobCode: await providerCode(own, 'RECOVER_EMAIL') })).status).toBe(200);
  expect(await accounts.fetchRecord({ uid })).toMatchObject({ email: own, emailVerified: true });
  await provider('accounts:sendOobCode', { requestType: 'PASSWORD_RESET', email: own });
  const oobCode = await providerCode(own, 'PASSWORD_RESET');
  const past = await provider('accounts:resetPassword', { oobCode, newPassword: ATTACKERS });
  expect(past.status).toBe(200);
  const answer = await create((await signIn(own, ATTACKERS)).body.idToken);
  expect([answer.status, answer.body?.code, answer.cookies]).toEqual([401, 'token-revoked', {}]);
  // The attempt has reset the account. Its owner can use it again, and the attacker's password is gone.
  expect(await accounts.fetchRecord({ uid })).toMatchObject({ email: victims });
  expect((await signIn(own, ATTACKERS)).status).toBe(400);
  expect((await signIn(victims, ATTACKERS)).status).toBe(400);
});

test('concurrent registrations get the same response, with or without a pending one', async () => {
  const register = (email: string) =>
    browser().post(at('/api/registration'), { name: 'Mia Moreau', email, password: OWN });
  const [free, pending] = [freshEmail(), freshEmail()];
  await register(pending);
  for (const email of [free, pending]) {
    const answers = await Promise.all([register(email), register(email), register(email)]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  }
});
