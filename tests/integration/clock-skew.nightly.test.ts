// Threats: stolen-session, custom-token
// The identity provider revokes by its own clock, and this machine's clock can be wrong.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test, vi } from 'vitest';
import { interceptChanges, unavailable } from '../support/provider-changes';
import { serveSessions } from '../support/session-app';
import { fetchIdToken } from '../support/test-users';

const app = serveSessions();
const { newBrowser, call, check, open } = app;

afterEach(() => void vi.restoreAllMocks());

/**
 * Delays changes of accounts on their way to the provider.
 * @param failing number of the change that gets 503, from 0; none by default
 * @returns a promise that settles once the first change is on its way
 */
function delayChanges(ms: number, failing = -1): Promise<void> {
  return new Promise((begun) => {
    interceptChanges(async (send, count) => {
      begun();
      await sleep(ms);
      return count === failing ? unavailable() : send();
    });
  });
}

test.each([0, 8, -8])(
  'a change by a clock that is %i s ahead revokes what is before it, and nothing after',
  async (ahead) => {
    // A faked clock falls behind while the machine is busy. By less than a second this is no skew, so the case without
    // skew uses the real clock.
    if (ahead !== 0) vi.useFakeTimers({ toFake: ['Date'], shouldAdvanceTime: true, now: Date.now() + ahead * 1000 });
    const [own, other] = [newBrowser('laptop'), newBrowser('phone')];
    const unused = await fetchIdToken(app.user);
    for (const browser of [own, other]) expect((await open(browser, await fetchIdToken(app.user))).status).toBe(200);
    const changed = { current: app.user.password, password: 'another-lantern-7' };
    expect((await call(own, 'account/password', changed)).status).toBe(200);
    expect([await check(own), await check(other)]).toEqual([200, 401]);
    app.expectCode(await open(newBrowser('phone'), unused), 401, 'token-revoked');
    const after = await fetchIdToken({ email: app.user.email, password: changed.password });
    expect((await open(newBrowser('phone'), after)).status).toBe(200);
  },
);

test('a new password that the provider carries out late revokes what the old one has signed in until then', async () => {
  const own = newBrowser('laptop');
  expect((await open(own, await fetchIdToken(app.user))).status).toBe(200);
  const begun = delayChanges(1_200);
  const changed = call(own, 'account/password', { current: app.user.password, password: 'another-lantern-7' });
  await begun;
  // This is after the second that should have been the new password's first.
  await sleep(1_050);
  const late = await fetchIdToken(app.user);
  expect((await changed).status).toBe(200);
  app.expectCode(await open(newBrowser('phone'), late), 401, 'token-revoked');
});

test.each([
  ['the revocation', 0],
  ['what is revoked until it is carried out', 1],
])('signing out everywhere does not fail because %s fails once', async (_which, failing) => {
  const [own, other] = [newBrowser('laptop'), newBrowser('phone')];
  for (const browser of [own, other]) expect((await open(browser, await fetchIdToken(app.user))).status).toBe(200);
  void delayChanges(1_200, failing);
  expect((await call(own, 'account/sign-out-everywhere', {})).status).toBe(200);
  expect([await check(own), await check(other)]).toEqual([401, 401]);
});
