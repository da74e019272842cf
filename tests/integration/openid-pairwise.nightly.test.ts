// Threats: foreign-client
import { createHash } from 'node:crypto';
import * as oidc from 'openid-client';
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { logoutJobs } from '@/lib/server/oidc/logouts';
import { getRecords } from '@/lib/server/storage/records';
import { runJobs } from '@/lib/server/storage/records/jobs';
import type { CookieJar } from '../support/client';
import { Navigator } from '../support/navigator';
import {
  begin,
  complete,
  describeClient,
  discover,
  startLogoutReceiver,
  writeClients,
  writeKeys,
} from '../support/relying-party';
import { serveSessions } from '../support/session-app';
import { createTestUser, fetchIdToken } from '../support/test-users';

process.env.OIDC_PAIRWISE_SECRET = Buffer.alloc(32, 'pairwise of the tests').toString('base64');
writeKeys('first');

const app = serveSessions();
let receiver: Awaited<ReturnType<typeof startLogoutReceiver>>;
beforeAll(async () => {
  receiver = await startLogoutReceiver();
  const claims = ['preferred_username'];
  const describePairwise = (id: string, more = {}) =>
    describeClient({ subjectType: 'pairwise', claims, backchannelLogoutUri: receiver.at(id), ...more });
  writeClients({
    one: describePairwise('one', { refreshTokens: true }),
    other: describePairwise('other'),
    open: describeClient({ claims, backchannelLogoutUri: receiver.at('open') }),
  });
});
afterAll(() => receiver.stop());
beforeEach(() => {
  receiver.received.length = 0;
});

async function signIn(token?: string) {
  const browser = app.newBrowser();
  await (token === undefined ? app.signIn(browser) : app.open(browser, token));
  return browser;
}

async function getTokens(browser: CookieJar, id: string, parameters: Record<string, string> = {}) {
  const navigator = new Navigator(app.origin);
  navigator.take(browser.cookies);
  const config = await discover(app.origin, id);
  const started = await begin(config, parameters);
  const answer = await navigator.follow(started.address);
  return { config, answer, tokens: await complete(config, answer, started) };
}

const getClaims = async (browser: CookieJar, id: string) => (await getTokens(browser, id)).tokens.claims();

test('a user is the same for a client for ever, in every session and token', async () => {
  const browser = await signIn();
  const { config, tokens } = await getTokens(browser, 'one');
  const sub = tokens.claims()?.sub ?? '';
  // The library compares this `sub` with the ID token's.
  const userinfo = await oidc.fetchUserInfo(config, tokens.access_token, sub);
  expect(userinfo).toEqual({ sub, preferred_username: sub });
  expect((await oidc.refreshTokenGrant(config, tokens.refresh_token ?? '')).claims()?.sub).toBe(sub);
  writeKeys('second', 'first');
  expect((await getClaims(await signIn(), 'one'))?.sub).toBe(sub);
  const hint = { prompt: 'none', id_token_hint: tokens.id_token ?? '' };
  expect((await getTokens(browser, 'one', hint)).tokens.claims()?.sub).toBe(sub);
});

test('two clients have nothing by which they could tell that a user is the same', async () => {
  const browser = await signIn();
  const [one, other, open] = await Promise.all(['one', 'other', 'open'].map((id) => getTokens(browser, id)));
  const [mine, theirs, uid] = [one, other, open].map((each) => each?.tokens.claims());
  expect(uid?.sub).toBe(app.user.uid);
  for (const name of ['sub', 'sid', 'preferred_username', 'jti', 'at_hash'])
    if (mine?.[name] !== undefined) expect(mine[name]).not.toBe(theirs?.[name]);
  // The remaining claims only state when and how the user signed in.
  const same = Object.entries(mine ?? {}).filter(
    ([name, value]) => JSON.stringify(theirs?.[name]) === JSON.stringify(value),
  );
  expect(
    same
      .map(([name]) => name)
      .filter((name) => !['exp', 'iat'].includes(name))
      .sort(),
  ).toEqual(['acr', 'amr', 'auth_time', 'iss']);
  for (const each of [one, other]) {
    const seen = JSON.stringify([each?.answer.href, each?.tokens, decodeJwt(each?.tokens.id_token ?? '')]);
    expect(seen).not.toContain(app.user.uid);
    expect(seen).not.toContain(app.user.email);
  }
});

test('who knows the ids of accounts and clients cannot compute a subject', async () => {
  const browser = await signIn();
  const sub = (await getClaims(browser, 'one'))?.sub;
  const { uid } = app.user;
  for (const text of [
    uid,
    `one${uid}`,
    `one\n${uid}`,
    `${uid}one`,
    `moodle.school.example${uid}`,
    `moodle.school.example\n${uid}`,
  ])
    expect(createHash('sha256').update(text).digest('hex')).not.toBe(sub);
});

test('two users are two, whatever is in their names', async () => {
  const stranger = await createTestUser();
  const browser = await signIn(await fetchIdToken(stranger));
  expect((await getClaims(browser, 'one'))?.sub).not.toBe((await getClaims(await signIn(), 'one'))?.sub);
});

test('the hint of another user, or of another client, gives no silent sign-in', async () => {
  const browser = await signIn();
  const stranger = await signIn(await fetchIdToken(await createTestUser()));
  const own = await getTokens(browser, 'one');
  const foreign = await getTokens(stranger, 'one');
  const ask = async (hint: string | undefined, id = 'one') => {
    const navigator = new Navigator(app.origin);
    navigator.take(browser.cookies);
    const started = await begin(await discover(app.origin, id), { prompt: 'none', id_token_hint: hint ?? '' });
    return (await navigator.follow(started.address)).searchParams.get('error');
  };
  expect(await ask(own.tokens.id_token)).toBeNull();
  expect(await ask(foreign.tokens.id_token)).toBe('login_required');
  expect(await ask(own.tokens.id_token, 'other')).not.toBeNull();
});

test('a logout token names the user as its client knows them', async () => {
  const browser = await signIn();
  const subjects = new Map<string, string | undefined>();
  for (const id of ['one', 'other', 'open']) subjects.set(id, (await getClaims(browser, id))?.sub);
  await app.call(browser, 'initiate-logout');
  await runJobs(await getRecords(), logoutJobs);
  const told = receiver.received.map(({ clientId, token }) => [clientId, decodeJwt(token).sub] as const);
  expect(new Map(told)).toEqual(subjects);
  for (const { clientId, token } of receiver.received)
    if (clientId !== 'open')
      expect(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()).not.toContain(app.user.uid);
});
