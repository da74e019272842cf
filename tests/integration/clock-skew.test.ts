// Threats: stolen-session, custom-token
// The identity provider revokes by its own clock, and this machine's can be wrong.
import { expect, test, vi } from 'vitest';
import { serveSessions } from '../support/session-app';
import { fetchIdToken } from '../support/test-users';

const app = serveSessions();
const { newBrowser, call, check, open } = app;

test.each([0, 8, -8])(
  'a change by a clock that is %i s ahead revokes what is before it, and nothing after',
  async (ahead) => {
    vi.useFakeTimers({ toFake: ['Date'], shouldAdvanceTime: true, now: Date.now() + ahead * 1000 });
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
