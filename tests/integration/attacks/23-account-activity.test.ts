// Threats: foreign-activity, event-suppression
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { attackTools } from '../../support/attack';
import { nextSecond, type CookieJar } from '../../support/client';

const { at, browser, accounts, endpoints } = attackTools();

type Event = { id: string; kind: string; method: string | null };
const AFTER_ALL = 'ffffffff-ffff-4fff-bfff-ffffffffffff';

async function signIn() {
  const account = await accounts.create();
  const learner = browser();
  const token = await accounts.idToken(account);
  expect((await learner.post(at('/api/create-user-session'), { token })).status).toBe(200);
  return { account, learner };
}

async function readEvents(learner: CookieJar): Promise<Event[]> {
  const { status, body } = await learner.post(at('/api/account/activity'), { before: null });
  expect(status).toBe(200);
  return body?.events as Event[];
}

describe('the activity of an account', () => {
  test('is refused without a session', async () => {
    expect((await browser().post(at('/api/account/activity'), { before: null })).status).toBe(401);
  });

  test('is never that of another account, whatever cursor is sent', async () => {
    const [victim, attacker] = [await signIn(), await signIn()];
    await expect.poll(async () => (await readEvents(victim.learner)).length).toBe(1);
    const [event] = await readEvents(victim.learner);
    for (const before of [event?.id, randomUUID(), AFTER_ALL]) {
      const { body } = await attacker.learner.post(at('/api/account/activity'), { before, uid: victim.account.uid });
      expect(body).toEqual({ events: [], more: false });
    }
    const own = await readEvents(attacker.learner);
    expect(own.map(({ id }) => id)).not.toContain(event?.id);
  });

  test.each(["' or 1=1 --", '', undefined, { id: 1 }])('refuses %j as the cursor', async (before) => {
    const { learner } = await signIn();
    const { status, body } = await learner.post(at('/api/account/activity'), { before });
    expect([status, body?.code]).toEqual([400, 'bad-request']);
  });

  test('has a sign-in and a sign-out once each, and no renewal', async () => {
    const account = await accounts.create();
    const learner = browser();
    const signInWith = async (token: string) =>
      expect((await learner.post(at('/api/create-user-session'), { token })).status).toBe(200);
    const token = await accounts.idToken(account);
    await signInWith(token);
    await signInWith(token);
    const copy = learner.copy();
    expect((await learner.post(at('/api/initiate-logout'))).status).toBe(200);
    expect((await copy.post(at('/api/initiate-logout'))).status).toBe(200);
    await nextSecond();
    await signInWith(await accounts.idToken(account));
    const kinds = async () => (await readEvents(learner)).map(({ kind, method }) => [kind, method]);
    await expect.poll(kinds).toEqual([
      ['signed-in', 'password'],
      ['signed-out', null],
      ['signed-in', 'password'],
    ]);
  });

  test('has a session from the token of an ended one, and a sign-out by the form', async () => {
    const account = await accounts.create();
    const learner = browser();
    const token = await accounts.idToken(account);
    const signInWith = async () =>
      expect((await learner.post(at('/api/create-user-session'), { token })).status).toBe(200);
    await signInWith();
    const ended = learner.copy();
    const form = { method: 'POST', redirect: 'manual', body: new URLSearchParams({ any: 'thing' }) } as const;
    const headers = { cookie: learner.cookieHeader, origin: endpoints.appOrigin };
    expect((await fetch(at('/sign-out'), { ...form, headers })).status).toBe(303);
    // The attacker keeps this cookie. It could turn the next session into a renewal.
    expect((await ended.post(at('/api/create-user-session'), { token })).status).toBe(200);
    const kinds = async () => (await readEvents(ended)).map(({ kind }) => kind);
    await expect.poll(kinds).toEqual(['signed-in', 'signed-out', 'signed-in']);
  });
});
