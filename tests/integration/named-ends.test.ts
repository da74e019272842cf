// Threats: unnoticed-sign-in
// Support sees which rule refused a sign-in, and why a session ended.
import { decodeJwt } from 'jose';
import type { DecodedIdToken } from 'firebase-admin/auth';
import { expect, test, vi } from 'vitest';
import { getIdentityAdmin } from '@/lib/server/identity/admin';
import { findAccountOfSession } from '@/lib/server/session';
import { exportEvents, exportSessions, getRecords, listEvents } from '@/lib/server/storage';
import { nextSecond, type CookieJar } from '../support/client';
import { serveSessions, SESSION } from '../support/session-app';
import { fetchOrganizationIdToken } from '../support/test-users';

const app = serveSessions();
const { call, newBrowser, signIn, expectCode } = app;

const readEnd = async (id: string) =>
  (await exportSessions(await getRecords(), app.user.uid)).find((session) => session.id === id)?.endedBy;
const readRefusals = async () => {
  const found = await exportEvents(await getRecords(), app.user.uid);
  return found.flatMap(({ kind, rule }) => (kind === 'refused' ? [rule] : []));
};
const post = async (browser: CookieJar, path: string, body?: object) =>
  expect((await call(browser, path, body)).status).toBe(200);

/** @param here the session that ends; @param there another session of the account */
type End = (here: CookieJar, there: CookieJar) => Promise<unknown>;
/**
 * Detects the change as a client of the OpenID Provider does, because the emulator itself responds to the check of a
 * cookie.
 */
const noticed =
  (change: (uid: string) => Promise<unknown>): End =>
  async (here) => {
    const id = await app.getId(here);
    await change(app.user.uid);
    expect(await findAccountOfSession(id)).toBeNull();
  };
const ENDS: Record<string, End> = {
  'sign-out': (here) => post(here, 'initiate-logout'),
  owner: async (here, there) => post(there, 'account/end-sessions', { session: await app.getId(here) }),
  'sign-out-everywhere': (_here, there) => post(there, 'account/sign-out-everywhere'),
  'new-password': (_here, there) =>
    post(there, 'account/password', { current: app.user.password, password: 'staple-battery-9' }),
  'revoked-since-proof': noticed((uid) => getIdentityAdmin().revokeRefreshTokens(uid)),
  'deleted-account': noticed((uid) => getIdentityAdmin().deleteUser(uid)),
};

test.each(Object.entries(ENDS))('a session that ends by %s says so', async (reason, end) => {
  const [here, there] = [newBrowser(), newBrowser('phone')];
  await signIn(here);
  await signIn(there);
  const id = await app.getId(here);
  await nextSecond();
  await end(here, there);
  await expect.poll(() => readEnd(id)).toBe(reason);
});

test('refusals of a session and of tokens name their rules once, for support alone', async () => {
  const browser = newBrowser();
  await signIn(browser);
  const token = await fetchOrganizationIdToken('oidc.unlisted', app.user.email);
  for (const tries of [newBrowser(), newBrowser()])
    expectCode(await app.open(tries, token), 403, 'provider-not-allowed');
  await expect.poll(readRefusals).toEqual(['provider-not-listed']);
  // In production, the cookie of a disabled account is genuine. The emulator refuses it before our code runs.
  const { sub = '', ...claims } = decodeJwt(browser.cookies[SESSION] ?? '');
  const decoded = { ...claims, sub, uid: sub } as unknown as DecodedIdToken;
  const genuine = vi.spyOn(getIdentityAdmin(), 'verifySessionCookie').mockResolvedValue(decoded);
  await getIdentityAdmin().updateUser(app.user.uid, { disabled: true });
  app.advance(25);
  expectCode(await call(browser, 'check-auth-status'), 401, 'user-disabled');
  genuine.mockRestore();
  await expect.poll(readRefusals).toEqual(['disabled-account', 'provider-not-listed']);
  const shown = await listEvents(await getRecords(), { uid: app.user.uid, now: new Date(), before: null });
  expect(shown.events.map(({ kind }) => kind)).toContain('signed-in');
  expect(JSON.stringify(shown)).not.toContain('refused');
});
