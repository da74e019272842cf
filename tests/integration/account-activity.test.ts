import { beforeEach, expect, inject, test } from 'vitest';
import { restoreProvedEmail } from '@/lib/server/identity/change-account';
import { getIdentityAdmin } from '@/lib/server/identity/admin';
import { getRecords } from '@/lib/server/storage/records';
import { hashAccount } from '@/lib/server/runtime/observability/request-context';
import { connectErrorSink } from '@/lib/shared/error-reporting/report';
import { PROVED_ADDRESS_CLAIM } from '@/lib/server/policy/account';
import { exportEvents, insertEvent } from '@/lib/server/storage/records/events';
import { beginSignIn, codeFrom, exchangeCode } from '../../examples/mobile/client.mjs';
import { authorizeMobileApp } from '../support/mobile-app';
import { CookieJar, nextSecond } from '../support/client';
import { codeIn, linksIn, mailsTo } from '../support/mail';
import { Registration } from '../support/registration';
import { fetchIdToken, idTokenByCustomToken } from '../support/test-users';

const registration = new Registration();
const NEW_PASSWORD = 'another-lantern-43';
const AGENT = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0';

beforeEach(() => {
  registration.jar = new CookieJar({ origin: 'http://localhost:3000', 'user-agent': AGENT });
});

const call = (address: string, body?: object) => registration.jar.post(registration.app.origin + address, body);
const lastMail = async (count: number) =>
  (await mailsTo({ mailboxUrl: inject('mailboxUrl') }, registration.email, count)).at(-1) ?? { text: '' };

async function signIn(token: string): Promise<void> {
  expect((await call('/api/create-user-session', { token })).status).toBe(200);
}
const byPassword = (password: string) => fetchIdToken({ email: registration.email, password });

/** Registers, confirms and signs in. */
async function begin(): Promise<void> {
  expect((await registration.register()).status).toBe(200);
  const { body } = await registration.confirm(await registration.lastCode());
  await signIn(await idTokenByCustomToken(String(body?.customToken)));
}

type Event = { kind: string; method: string | null };
/** Lists the events, newest first, as `kind method`. */
async function readKinds(): Promise<string[]> {
  const { body } = await call('/api/account/activity', { before: null });
  return ((body?.events ?? []) as Event[]).map(({ kind, method }) => (method ? `${kind} ${method}` : kind));
}

test('registration, confirmation and the first sign-in are recorded with browser, system and network', async () => {
  await begin();
  await expect.poll(readKinds).toEqual(['signed-in email', 'email-verified', 'registered']);
  const { uid } = await getIdentityAdmin().getUserByEmail(registration.email);
  for (const event of await exportEvents(await getRecords(), uid)) {
    expect(event).toMatchObject({ browser: 'Firefox', system: 'Windows' });
    expect(event.network).toMatch(/^(?:127\.0\.0\.0\/24|::\/48)$/);
  }
});

test('a password change is recorded, without a sign-in; a sign-out everywhere once', async () => {
  await begin();
  await nextSecond();
  const passwords = { current: registration.values().password, password: NEW_PASSWORD };
  expect((await call('/api/account/password', passwords)).status).toBe(200);
  await expect.poll(async () => (await readKinds())[0]).toBe('password-changed');
  expect((await call('/api/account/sign-out-everywhere')).status).toBe(200);
  await nextSecond();
  await signIn(await byPassword(NEW_PASSWORD));
  await expect
    .poll(async () => (await readKinds()).slice(0, 3))
    .toEqual(['signed-in password', 'signed-out-everywhere', 'password-changed']);
});

test('a password set with an emailed code is recorded', async () => {
  await begin();
  const { email } = registration;
  expect((await call('/api/password-reset', { email })).status).toBe(200);
  const code = codeIn(await lastMail(2));
  expect((await call('/api/password-reset/confirm', { code, password: NEW_PASSWORD })).status).toBe(200);
  await nextSecond();
  await signIn(await byPassword(NEW_PASSWORD));
  await expect.poll(async () => (await readKinds()).slice(0, 2)).toEqual(['signed-in password', 'password-reset']);
});

test('a sign-in by emailed link says so', async () => {
  await begin();
  const { email } = registration;
  expect((await call('/api/initiate-logout')).status).toBe(200);
  // A link from the second of its account's creation no longer works.
  await nextSecond();
  expect((await call('/api/email-link', { email })).status).toBe(200);
  const link = new URL(linksIn(await lastMail(2))[0] ?? '');
  const { body } = await call('/api/actions/sign-in', { code: link.searchParams.get('oobCode'), email });
  await nextSecond();
  await signIn(await idTokenByCustomToken(String(body?.customToken)));
  await expect.poll(async () => (await readKinds()).slice(0, 2)).toEqual(['signed-in email', 'signed-out']);
});

test('a sign-in of the mobile app is recorded when it exchanges its code, and not when that is refused', async () => {
  await begin();
  const begun = beginSignIn({ appOrigin: registration.app.origin });
  const { '_secure-user-session': session = '', device = '' } = registration.jar.cookies;
  const own = [`device=${device}`];
  const answer = await authorizeMobileApp(registration.app.origin, begun.address, session, {}, own);
  const code = codeFrom(String(answer.body?.address), begun);
  const exchange = { appOrigin: registration.app.origin, code, verifier: begun.verifier };
  expect(await exchangeCode(exchange)).toMatch(/^eyJ/);
  await expect(exchangeCode(exchange)).rejects.toThrow('invalid_grant');
  await expect.poll(readKinds).toEqual(['signed-in', 'signed-in email', 'email-verified', 'registered']);
});

test('several requests that restore the proved email at once are one event', async () => {
  await begin();
  const { uid } = await getIdentityAdmin().getUserByEmail(registration.email);
  await getIdentityAdmin().setCustomUserClaims(uid, { [PROVED_ADDRESS_CLAIM]: registration.email });
  const renamed = await getIdentityAdmin().updateUser(uid, { email: `${uid.toLowerCase()}@campus.test` });
  const reports: unknown[] = [];
  connectErrorSink(({ context }) => reports.push(context));
  await Promise.all([1, 2, 3].map(() => restoreProvedEmail(renamed.uid)));
  expect(reports).toContainEqual({ account: hashAccount(uid) });
  expect(JSON.stringify(reports)).not.toContain(uid);
  expect((await getIdentityAdmin().getUser(uid)).email).toBe(registration.email);
  // The writes of an account are in order, so no other write waits after this write.
  await insertEvent(await getRecords(), { uid, kind: 'signed-out', at: new Date() });
  const found = await exportEvents(await getRecords(), uid);
  expect(found.filter(({ kind }) => kind === 'email-restored')).toHaveLength(1);
});
