import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import { expect, inject, test, vi } from 'vitest';
import { getIdentityAdmin } from '@/lib/server/identity/admin';
import { processWide } from '@/lib/server/runtime/process';
import { revokeAllSessions } from '@/lib/server/session/require-session';
import { createAccountsClient } from './accounts-client';
import { nextSecond } from './client';
import { alterTables, takeRecordsAway } from './records-away';
import { lockSessions, serveSessions, SESSION } from './session-app';
import { fetchIdToken, shiftIdToken } from './test-users';

/** Returns the writes that the database has not taken yet. */
const waiting = () => processWide('late-session-writes', () => new Set<string>());

/**
 * Makes the database refuse ends of sessions by a revocation, as if it were too slow. @returns a function that ends
 * this
 */
function refuseRevocations(): Promise<() => Promise<void>> {
  return alterTables(
    [
      sql`create function refuse() returns trigger language plpgsql as $$ begin raise sqlstate '57014'; end $$`,
      sql`create trigger refuse before update on sessions for each row when (new.ended_by in ('sign-out-everywhere', 'revoked-since-proof')) execute function refuse()`,
    ],
    [sql`drop trigger refuse on sessions`, sql`drop function refuse`],
  );
}

/**
 * Seconds after which a proof is no longer fresh by the server's clock. Only the identity provider's times then show
 * the order.
 */
const LATE = 316;

/** Tests which sessions and proofs end with a session that the owner ended, on one kind of database. */
export function testSessionEnds(): void {
  const app = serveSessions();
  const { newBrowser, call, open, signIn, check, getId, expectCode } = app;
  const end = async (from: ReturnType<typeof newBrowser>, browser: ReturnType<typeof newBrowser>) =>
    expect((await call(from, 'account/end-sessions', { session: await getId(browser) })).status).toBe(200);
  /** Signs out while no cookie can be verified. */
  const signOutUnverified = async (browser: ReturnType<typeof newBrowser>) => {
    const outage = vi.spyOn(getIdentityAdmin(), 'verifySessionCookie').mockRejectedValue(new Error('no keys'));
    expect((await call(browser, 'initiate-logout')).status).toBe(200);
    outage.mockRestore();
  };

  test('ending all others revokes what has no record: tokens, old sign-ins, and sessions from an outage', async () => {
    const [laptop, phone, late] = [newBrowser(), newBrowser('phone'), newBrowser('phone')];
    await signIn(laptop);
    const [unused, used] = [await fetchIdToken(app.user), await fetchIdToken(app.user)];
    await open(phone, used);
    await call(phone, 'initiate-logout');
    const before = laptop.copy();
    await nextSecond();
    const ended = await call(laptop, 'account/end-sessions', { others: true });
    expect(ended.body?.customToken).toEqual(expect.any(String));
    for (const token of [unused, used]) expectCode(await open(late, token), 401, 'token-revoked');
    expect([await check(laptop), await check(before)]).toEqual([200, 401]);
    expectCode(await call(before, 'account/end-sessions', { others: true }), 401, 'session-required');
  });

  test('a sign-out while no cookie can be verified ends the record once it can', async () => {
    const laptop = newBrowser();
    await signIn(laptop);
    await signOutUnverified(laptop);
    await expect.poll(() => app.list()).toEqual([]);
  });

  test('the same by a later try while the database is slow, too', async () => {
    const laptop = newBrowser();
    await signIn(laptop);
    await signOutUnverified(laptop);
    const tries = vi.spyOn(getIdentityAdmin(), 'verifySessionCookie');
    const release = await lockSessions();
    await expect.poll(() => tries.mock.calls.length).toBe(1);
    // This is longer than a check waits for the records.
    await sleep(1_500);
    release();
    tries.mockRestore();
    await expect.poll(() => app.list()).toEqual([]);
  });

  test('a revocation ends the records of all sessions by a later try while the database is away', async () => {
    await signIn(newBrowser());
    await nextSecond();
    const bringBack = await takeRecordsAway();
    await revokeAllSessions(app.user.uid, 'sign-out-everywhere');
    await expect.poll(() => waiting().size).toBe(1);
    bringBack();
    await expect.poll(() => app.list()).toEqual([]);
  });

  test('what a revocation has left is ended by the next sign-in, in whichever browser', async () => {
    const [laptop, phone] = [newBrowser(), newBrowser('phone')];
    await signIn(laptop);
    await signIn(phone);
    await createAccountsClient({ emulatorHost: inject('emulatorHost'), projectId: 'demo-campus' }).revoke(app.user);
    await nextSecond();
    await signIn(phone);
    const own = phone.cookies.kk_sid;
    // The session of its own browser ends immediately, because it must not continue.
    expect((await app.list()).filter(({ sids }) => sids.includes(own ?? '')).map(({ sids }) => sids)).toEqual([[own]]);
    await expect.poll(async () => (await app.list()).map(({ sids }) => sids)).toEqual([[own]]);
  });

  test('a sign-in is recorded although what a revocation has left cannot be ended yet', async () => {
    const [laptop, phone] = [newBrowser(), newBrowser('phone')];
    await signIn(laptop);
    await createAccountsClient({ emulatorHost: inject('emulatorHost'), projectId: 'demo-campus' }).revoke(app.user);
    await nextSecond();
    const allow = await refuseRevocations();
    await signIn(phone);
    const listed = async () => (await app.list()).flatMap(({ sids }) => sids);
    expect(await listed()).toEqual(expect.arrayContaining([phone.cookies.kk_sid, laptop.cookies.kk_sid]));
    await expect.poll(() => waiting().size).toBe(1);
    await allow();
    await expect.poll(listed).toEqual([phone.cookies.kk_sid]);
  });

  test('a forged cookie that could not be verified is not tried again once it can', async () => {
    const [laptop, thief] = [newBrowser(), newBrowser('phone')];
    await signIn(laptop);
    const [head = '', claims = ''] = (laptop.cookies[SESSION] ?? '').split('.');
    const forged = { ...(JSON.parse(Buffer.from(claims, 'base64url').toString()) as object), aud: 'another-project' };
    thief.cookies[SESSION] = [head, Buffer.from(JSON.stringify(forged)).toString('base64url'), ''].join('.');
    await signOutUnverified(thief);
    expect(waiting().size).toBe(1);
    await expect.poll(() => waiting().size).toBe(0);
  });

  test('a proof with which a session was opened late opens none after that one was ended', async () => {
    const url = `http://${inject('emulatorHost')}/identitytoolkit.googleapis.com/v1/projects/demo-campus/accounts:update`;
    const validSince = String(Math.floor(Date.now() / 1000) - 1_000);
    await fetch(url, {
      method: 'POST',
      headers: { authorization: 'Bearer owner', 'content-type': 'application/json' },
      body: JSON.stringify({ localId: app.user.uid, validSince }),
    });
    const [laptop, phone] = [newBrowser(), newBrowser('phone')];
    const late = shiftIdToken(await fetchIdToken(app.user), -LATE);
    expect((await open(phone, late)).status).toBe(200);
    await nextSecond();
    await signIn(laptop);
    await end(laptop, phone);
    for (const browser of [phone, newBrowser('phone')])
      expectCode(await open(browser, late), 403, 'recent-login-required');
  });

  test('a live session goes on with its proof, also when that is between two proofs of one that was ended', async () => {
    const [laptop, phone, tablet] = [newBrowser(), newBrowser('phone'), newBrowser('phone')];
    await signIn(phone);
    await nextSecond();
    const token = await fetchIdToken(app.user);
    expect((await open(tablet, token)).status).toBe(200);
    await nextSecond();
    await signIn(phone);
    await signIn(laptop);
    await end(laptop, phone);
    expect((await open(tablet, token)).status).toBe(200);
    expect(await check(tablet)).toBe(200);
    expectCode(await open(newBrowser(), token), 403, 'recent-login-required');
  });
}
