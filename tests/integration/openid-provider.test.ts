// ASVS: 10.4.1, 10.4.2, 10.4.3, 10.4.5, 10.4.6, 10.4.8, 10.4.10, 10.4.11, 10.6.1
// Threats: foreign-client, open-redirect, stolen-session
import { decodeJwt, generateKeyPair, SignJWT, UnsecuredJWT, type JWTPayload } from 'jose';
import * as oidc from 'openid-client';
import { afterEach, describe, expect, test } from 'vitest';
import { readTables } from '@/lib/server/accounts/data-tables';
import { requiresReauthenticationForClient } from '@/lib/server/oidc/interaction';
import { readMetrics } from '@/lib/server/runtime/observability/metrics';
import { getRecords } from '@/lib/server/storage/records';
import { sql } from 'drizzle-orm';
import { configInForce } from '../support/config-files';
import { nextSecond } from '../support/client';
import { Navigator } from '../support/navigator';
import {
  begin,
  CALLBACK,
  CLIENT_SECRET,
  complete,
  describeClient,
  discover,
  getIssuer,
  writeClients,
  writeKeys,
} from '../support/relying-party';
import { serveSessions } from '../support/session-app';
import { callProvider, createAccountsClient } from '../support/accounts-client';
import { createTestUser, fetchIdToken, shiftIdToken, type TestUser } from '../support/test-users';
import { takeTableAway } from '../support/records-away';

process.env.OIDC_PAIRWISE_SECRET = Buffer.alloc(32, 'pairwise of the tests').toString('base64');

const clients = {
  moodle: describeClient(),
  canvas: describeClient({ name: 'Canvas', authentication: 'client_secret_basic' }),
  'no-pkce': describeClient({ pkce: false }),
  secluded: describeClient({ subjectType: 'pairwise', claims: ['preferred_username', 'email'] }),
  refreshing: describeClient({ refreshTokens: true }),
  public: describeClient({ authentication: 'none', secretFile: undefined, refreshTokens: true }),
  off: describeClient({ enabled: false }),
};
writeClients(clients);
writeKeys('first');

const app = serveSessions();
const getClient = (id = 'moodle', authentication?: oidc.ClientAuth) => discover(app.origin, id, {}, authentication);
const accounts = () =>
  createAccountsClient({ emulatorHost: process.env.FIREBASE_AUTH_EMULATOR_HOST ?? '', projectId: 'demo-campus' });

/** Creates a browser with a session of the test's user. */
async function signedIn() {
  const browser = app.newBrowser();
  await app.signIn(browser);
  const navigator = new Navigator(app.origin);
  navigator.take(browser.cookies);
  return { browser, navigator };
}

/** Completes a sign-in in a browser that has a session. */
async function signInAt(id: string, navigator: Navigator, parameters: Record<string, string> = {}) {
  const config = await getClient(id);
  const started = await begin(config, parameters);
  const answer = await navigator.follow(started.address);
  const tokens = await complete(config, answer, started);
  return { config, started, answer, tokens, claims: tokens.claims() };
}

const getError = (url: URL) => [url.origin + url.pathname, url.searchParams.get('error'), url.searchParams.get('code')];
const read = (text: string) => /<code>([^<]*)/.exec(text)?.[1];

afterEach(() => {
  writeClients(clients);
  return configInForce();
});

describe('discovery', () => {
  test.each<Record<string, string>>([
    {},
    { host: 'attacker.example' },
    { 'x-forwarded-host': 'attacker.example', 'x-forwarded-proto': 'https', 'x-forwarded-port': '444' },
    { forwarded: 'host=attacker.example;proto=https' },
  ])('is the same with the headers %j', async (headers) => {
    const address = `${app.origin}/api/oidc/.well-known/openid-configuration`;
    const document = (await (await fetch(address, { headers })).json()) as Record<string, unknown>;
    expect(document).toMatchObject({
      issuer: getIssuer(),
      authorization_endpoint: `${getIssuer()}/authorize`,
      token_endpoint: `${getIssuer()}/token`,
      userinfo_endpoint: `${getIssuer()}/userinfo`,
      jwks_uri: `${getIssuer()}/jwks`,
      revocation_endpoint: `${getIssuer()}/revoke`,
      response_types_supported: ['code'],
      code_challenge_methods_supported: ['S256'],
      acr_values_supported: ['aal1', 'aal2'],
      id_token_signing_alg_values_supported: expect.arrayContaining(['RS256', 'PS256']) as unknown,
    });
    for (const absent of ['registration_endpoint', 'pushed_authorization_request_endpoint', 'introspection_endpoint'])
      expect(document).not.toHaveProperty(absent);
  });

  test('the keys that are published have no private part', async () => {
    const { keys } = (await (await fetch(`${app.origin}/api/oidc/jwks`)).json()) as { keys: object[] };
    expect(keys).toHaveLength(1);
    expect(Object.keys(keys[0] ?? {}).sort()).toEqual(['e', 'kid', 'kty', 'n', 'use']);
  });

  test.each(['', '/', '/reg', '/request', '/session/end', '/interaction/short', '/token/introspection', '/device'])(
    '%j below the issuer is not found',
    async (path) => {
      expect((await fetch(`${app.origin}/api/oidc${path}`)).status).toBe(404);
    },
  );
});

describe('a sign-in with a session', () => {
  test('gives the client true claims, by ID token and userinfo', async () => {
    const { navigator } = await signedIn();
    const { config, claims, tokens } = await signInAt('moodle', navigator);
    const { user } = app;
    const names = { name: user.name, given_name: 'Pat', family_name: user.name.split(' ')[1] };
    const person = { ...names, email: user.email, email_verified: true, preferred_username: user.uid.toLowerCase() };
    expect(claims).toMatchObject({
      iss: getIssuer(),
      aud: 'moodle',
      sub: user.uid,
      acr: 'aal1',
      amr: ['pwd'],
      ...person,
    });
    expect(claims?.auth_time).toBeGreaterThan(Date.now() / 1000 - 60);
    const userinfo = await oidc.fetchUserInfo(config, tokens.access_token, user.uid);
    expect(userinfo).toMatchObject({ sub: user.uid, ...person });
    expect(tokens).not.toHaveProperty('refresh_token');
  });

  test('is among the data that the owner can download', async () => {
    const { navigator } = await signedIn();
    await signInAt('moodle', navigator);
    const records = await getRecords();
    const { openIdClients } = await records.transact((tx) => readTables(tx, app.user.uid));
    expect(openIdClients).toMatchObject([{ clientId: 'moodle' }]);
    const [{ signedInAt } = {}] = openIdClients as { signedInAt?: Date }[];
    expect(signedInAt?.getTime()).toBeGreaterThan(Date.now() - 60_000);
  });

  test('is silent for a second client, also with prompt=none, and nothing is asked', async () => {
    const { navigator } = await signedIn();
    await signInAt('moodle', navigator);
    const config = await getClient('canvas', oidc.ClientSecretBasic(CLIENT_SECRET));
    const started = await begin(config, { prompt: 'none' });
    const response = await navigator.open(started.address);
    expect(response.status).toBe(303);
    expect(response.headers.getSetCookie()).toEqual([]);
    const answer = new URL(response.headers.get('location') ?? '');
    expect((await complete(config, answer, started)).claims()?.sub).toBe(app.user.uid);
  });

  test('by a form that the browser posts', async () => {
    const { navigator } = await signedIn();
    const { address } = await begin(await getClient(), { response_mode: 'form_post' });
    const response = await navigator.open(address);
    expect(response.headers.get('content-security-policy')).toMatch(/script-src [^;]*'sha256-/);
    expect(await response.text()).toContain(`<form method="post" action="${CALLBACK}">`);
  });

  test('tells a pairwise client another subject, and only what it is configured for', async () => {
    const { navigator } = await signedIn();
    const { claims } = await signInAt('secluded', navigator);
    expect(claims?.sub).toMatch(/^[\da-f]{64}$/);
    expect(claims).toMatchObject({ preferred_username: claims?.sub, email: app.user.email });
    expect(claims).not.toHaveProperty('name');
    expect(JSON.stringify(claims)).not.toContain(app.user.uid);
  });

  test('a refresh token is for clients that are configured for it', async () => {
    const { navigator, browser } = await signedIn();
    const { config, tokens } = await signInAt('refreshing', navigator);
    const refreshed = await oidc.refreshTokenGrant(config, tokens.refresh_token ?? '');
    expect(refreshed.claims()?.sub).toBe(app.user.uid);
    await app.call(browser, 'initiate-logout');
    await expect(
      oidc.refreshTokenGrant(config, refreshed.refresh_token ?? tokens.refresh_token ?? ''),
    ).rejects.toMatchObject({
      error: 'invalid_grant',
    });
  });

  test('renews what it grants, so that it ends before no token', async () => {
    const { navigator } = await signedIn();
    await signInAt('refreshing', navigator);
    const records = await getRecords();
    const shorten = sql`update oidc_artifacts set expires_at = now() + interval '1 minute' where model = 'Grant'`;
    await records.transact((tx) => tx.execute(shorten));
    await signInAt('refreshing', navigator);
    const long = sql`select payload->>'clientId' as client from oidc_artifacts
      where model = 'Grant' and expires_at > now() + interval '1 year'`;
    expect(JSON.stringify(await records.transact((tx) => tx.execute(long)))).toContain('refreshing');
  });

  test('a refresh token of a public client is rotated, and one that comes again takes all with it', async () => {
    const { navigator } = await signedIn();
    const config = await getClient('public', oidc.None());
    const started = await begin(config);
    const first = await complete(config, await navigator.follow(started.address), started);
    const next = await oidc.refreshTokenGrant(config, first.refresh_token ?? '');
    expect(next.refresh_token).not.toBe(first.refresh_token);
    for (const token of [first.refresh_token, next.refresh_token])
      await expect(oidc.refreshTokenGrant(config, token ?? '')).rejects.toMatchObject({ error: 'invalid_grant' });
    await expect(oidc.fetchUserInfo(config, next.access_token, app.user.uid)).rejects.toThrow();
  });
});

describe('a sign-in without a session', () => {
  test('leads to the sign-in page and from there to the client', async () => {
    const navigator = new Navigator(app.origin);
    const config = await getClient();
    const started = await begin(config, { ui_locales: 'de', acr_values: 'aal2' });
    const signIn = await navigator.follow(started.address);
    expect(signIn.pathname).toBe('/sign-in');
    expect(Object.fromEntries(signIn.searchParams)).toMatchObject({ ui_locales: 'de', acr_values: 'aal2' });
    const back = signIn.searchParams.get('redirect_uri') ?? '';
    expect(back).toMatch(/\/api\/oidc\/interaction\/[\w-]{43}\/courses\/0$/);
  });

  test('comes back with the session that was opened meanwhile', async () => {
    const navigator = new Navigator(app.origin);
    const config = await getClient();
    const started = await begin(config);
    const back = (await navigator.follow(started.address)).searchParams.get('redirect_uri') ?? '';
    const browser = app.newBrowser();
    await app.signIn(browser);
    navigator.take(browser.cookies);
    const tokens = await complete(config, await navigator.follow(back), started);
    expect(tokens.claims()?.sub).toBe(app.user.uid);
    await expect(navigator.follow(back)).rejects.toThrow('400');
  });

  test('with prompt=none is an error for the client', async () => {
    const { address } = await begin(await getClient(), { prompt: 'none' });
    const answer = await new Navigator(app.origin).follow(address);
    expect(getError(answer)).toEqual([CALLBACK, 'login_required', null]);
    expect(answer.searchParams.get('iss')).toBe(getIssuer());
  });

  test('hands the hint over in the storage of the tab', async () => {
    const navigator = new Navigator(app.origin);
    const { address } = await begin(await getClient(), { login_hint: 'pat</script>@campus.test' });
    const interaction = (await navigator.open(address)).headers.get('location') ?? '';
    const response = await navigator.open(interaction);
    const html = await response.text();
    expect(html).toContain('"carried-email","pat\\u003c/script\\u003e@campus.test"');
    expect(html).toContain(String.raw`{\"domain\":\"moodle.school.example\",\"course\":\"Lakeside Moodle\"}`);
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'; script-src 'sha256-");
  });
});

describe('a session whose record was lost, as with a restored backup', () => {
  test('is none for clients, and its user signs in once more instead of coming back in circles', async () => {
    const { navigator, browser } = await signedIn();
    await (await getRecords()).transact((tx) => tx.execute(sql`delete from sessions where uid = ${app.user.uid}`));
    expect(await app.check(browser)).toBe(200);
    const config = await getClient();
    const silent = await navigator.follow((await begin(config, { prompt: 'none' })).address);
    expect(getError(silent)).toEqual([CALLBACK, 'login_required', null]);
    const started = await begin(config);
    const signIn = await navigator.follow(started.address);
    const back = signIn.searchParams.get('redirect_uri') ?? '';
    const session = { sid: browser.cookies.kk_sid ?? '', authTime: Math.floor(Date.now() / 1000) };
    expect([signIn.pathname, await requiresReauthenticationForClient(back, session)]).toEqual(['/sign-in', true]);
    await nextSecond();
    await app.signIn(browser);
    navigator.take(browser.cookies);
    expect(await requiresReauthenticationForClient(back, { ...session, sid: browser.cookies.kk_sid ?? '' })).toBe(
      false,
    );
    expect((await complete(config, await navigator.follow(back), started)).claims()?.sub).toBe(app.user.uid);
  });
});

describe('what the client asks of the session', () => {
  /** Returns how a sign-in continues: to the client, or to the sign-in page. */
  const goOn = async (navigator: Navigator, parameters: Record<string, string>) => {
    const started = await begin(await getClient(), parameters);
    return { started, next: await navigator.follow(started.address) };
  };

  test.each<Record<string, string>>([{ prompt: 'login' }, { prompt: 'select_account' }, { max_age: '0' }])(
    '%j takes a proof that is later than the request',
    async (parameters) => {
      const { navigator, browser } = await signedIn();
      app.advance(20);
      const { started, next } = await goOn(navigator, parameters);
      expect(next.pathname).toBe('/sign-in');
      const back = next.searchParams.get('redirect_uri') ?? '';
      expect((await navigator.follow(back)).pathname).toBe('/sign-in');
      expect((await app.open(browser, shiftIdToken(await fetchIdToken(app.user), 20))).status).toBe(200);
      navigator.take(browser.cookies);
      const tokens = await complete(await getClient(), await navigator.follow(back), started, {
        ...('max_age' in parameters && { maxAge: 30 }),
      });
      expect(tokens.claims()?.auth_time).toBeGreaterThanOrEqual(Math.floor(Date.now() / 1000) - 10);
    },
  );

  test.each(['moodle', 'secluded'])(
    'id_token_hint of %s takes its account, and no other that signs in instead',
    async (id) => {
      const { navigator: owner } = await signedIn();
      const { tokens } = await signInAt(id, owner);
      const answerTo = async (user: TestUser, isSignedInBefore: boolean) => {
        const browser = app.newBrowser();
        const navigator = new Navigator(app.origin);
        const enter = async () => {
          await app.open(browser, await fetchIdToken(user));
          navigator.take(browser.cookies);
        };
        if (isSignedInBefore) await enter();
        const { address } = await begin(await getClient(id), { id_token_hint: tokens.id_token ?? '' });
        const next = await navigator.follow(address);
        if (next.pathname !== '/sign-in') return next;
        await enter();
        return navigator.follow(next.searchParams.get('redirect_uri') ?? '');
      };
      expect((await answerTo(app.user, false)).searchParams.has('code')).toBe(true);
      const stranger = await createTestUser();
      for (const isSignedInBefore of [false, true])
        expect(getError(await answerTo(stranger, isSignedInBefore))).toEqual([CALLBACK, 'login_required', null]);
    },
  );

  test('max_age that the session keeps asks nothing', async () => {
    const { navigator } = await signedIn();
    expect((await goOn(navigator, { max_age: '300' })).next.searchParams.has('code')).toBe(true);
  });

  test('two factors are asked for, or refused to a silent request', async () => {
    const { navigator } = await signedIn();
    const { next } = await goOn(navigator, { acr_values: 'aal2' });
    expect([next.pathname, next.searchParams.get('acr_values')]).toEqual(['/sign-in', 'aal2']);
    const silent = await goOn(navigator, { acr_values: 'aal2', prompt: 'none' });
    expect(getError(silent.next)).toEqual([CALLBACK, 'login_required', null]);
    const either = await goOn(navigator, { acr_values: 'aal2 aal1' });
    expect(either.next.searchParams.has('code')).toBe(true);
  });

  test.each(['consent', 'login consent'])('prompt=%s is understood', async (prompt) => {
    const { navigator } = await signedIn();
    await nextSecond();
    const { next } = await goOn(navigator, { prompt });
    expect(next.searchParams.get('error')).toBeNull();
  });
});

describe('bad requests', () => {
  test('a foreign redirect URI, and an unknown client, get a page and no redirect', async () => {
    const { navigator } = await signedIn();
    const { address } = await begin(await getClient());
    const variants: [string, string, string][] = [
      ...[`${CALLBACK}/`, `${CALLBACK}?x=1`, 'https://attacker.example/', CALLBACK.replace('moodle', 'Moodle')].map(
        (uri): [string, string, string] => ['redirect_uri', uri, 'invalid_redirect_uri'],
      ),
      ['client_id', 'unknown', 'invalid_client'],
      ['client_id', 'off', 'invalid_client'],
    ];
    for (const [name, value, code] of variants) {
      const wrong = new URL(address);
      wrong.searchParams.set(name, value);
      const response = await navigator.open(wrong);
      expect([value, response.status, response.headers.get('location')]).toEqual([value, 400, null]);
      expect(read(await response.text())).toBe(code);
    }
  });

  test.each([
    [{ response_type: 'token' }, 'unsupported_response_type'],
    [{ response_type: 'id_token' }, 'unsupported_response_type'],
    [{ code_challenge_method: 'plain' }, 'invalid_request'],
    [{ request: 'e30.e30.' }, 'request_not_supported'],
    [{ registration: '{}' }, 'registration_not_supported'],
    [{ prompt: 'none login' }, 'invalid_request'],
    [{ max_age: '-1' }, 'invalid_request'],
  ])('%j is an error for the client', async (parameters, error) => {
    const { navigator } = await signedIn();
    const { address } = await begin(await getClient(), parameters);
    const answer = await navigator.follow(address);
    const { searchParams } = answer.hash === '' ? answer : new URL(`${answer.origin}/?${answer.hash.slice(1)}`);
    expect([searchParams.get('error'), searchParams.get('code')]).toEqual([error, null]);
  });

  test('PKCE is required, unless the client is configured without', async () => {
    const { navigator } = await signedIn();
    for (const [id, expected] of [
      ['moodle', 'invalid_request'],
      ['no-pkce', null],
    ] as const) {
      const { address } = await begin(await getClient(id));
      for (const name of ['code_challenge', 'code_challenge_method']) address.searchParams.delete(name);
      expect((await navigator.follow(address)).searchParams.get('error')).toBe(expected);
    }
  });

  test('a code that is used four times at once gives tokens once, and a later use takes them back', async () => {
    const { navigator } = await signedIn();
    const config = await getClient();
    const started = await begin(config);
    const answer = await navigator.follow(started.address);
    const tries = await Promise.allSettled(Array.from({ length: 4 }, () => complete(config, answer, started)));
    const [done, ...more] = tries.filter(({ status }) => status === 'fulfilled');
    expect(more).toEqual([]);
    for (const { status, ...rest } of tries)
      if (status === 'rejected') expect(rest).toMatchObject({ reason: { error: 'invalid_grant' } });
    const tokens = (done as PromiseFulfilledResult<Awaited<ReturnType<typeof complete>>>).value;
    // One of the four may have come late enough to count as a replay, which is random.
    await expect(complete(config, answer, started)).rejects.toMatchObject({ error: 'invalid_grant' });
    await expect(oidc.fetchUserInfo(config, tokens.access_token, app.user.uid)).rejects.toThrow();
  });

  test('a code is of its client, its verifier and its secret', async () => {
    const { navigator } = await signedIn();
    const config = await getClient();
    const start = async () => {
      const started = await begin(config);
      return { started, answer: await navigator.follow(started.address) };
    };
    const one = await start();
    await expect(complete(await getClient('no-pkce'), one.answer, one.started)).rejects.toMatchObject({
      error: 'invalid_grant',
    });
    const wrong = { ...one.started, verifier: oidc.randomPKCECodeVerifier() };
    await expect(complete(config, one.answer, wrong)).rejects.toMatchObject({ error: 'invalid_grant' });
    const stranger = await getClient('moodle', oidc.ClientSecretPost(`${CLIENT_SECRET}x`));
    await expect(complete(stranger, one.answer, one.started)).rejects.toMatchObject({ error: 'invalid_client' });
    expect((await complete(config, one.answer, one.started)).claims()?.sub).toBe(app.user.uid);
  });

  test.each<[string, (claims: JWTPayload) => Promise<string>]>([
    ['no algorithm', (claims) => Promise.resolve(new UnsecuredJWT(claims).encode())],
    ['our public key as a secret', (claims) => signWith(claims, 'HS256', () => getPublicKey().then(toSecret))],
    ["the client's secret", (claims) => signWith(claims, 'HS256', () => Promise.resolve(toSecret(CLIENT_SECRET)))],
    ['another key under the id of ours', (claims) => signWith(claims, 'RS256', makeKey)],
  ])('a hint that is signed by %s is none, and no ID token is one for userinfo', async (_what, forge) => {
    const { navigator } = await signedIn();
    const { config, tokens } = await signInAt('moodle', navigator);
    const claims = decodeJwt(tokens.id_token ?? '');
    const forged = await forge(claims);
    const { address } = await begin(config, { prompt: 'none', id_token_hint: forged });
    const { searchParams } = await navigator.follow(address);
    expect([searchParams.get('error'), searchParams.get('code')]).toEqual(['invalid_request', null]);
    const leave = oidc.buildEndSessionUrl(config, { id_token_hint: forged });
    expect((await navigator.open(leave)).status).toBe(400);
    for (const token of [forged, tokens.id_token ?? ''])
      await expect(oidc.fetchUserInfo(config, token, app.user.uid)).rejects.toThrow();
  });

  const toSecret = (text: string) => new TextEncoder().encode(text);
  const getPublicKey = async () => JSON.stringify(await (await fetch(`${app.origin}/api/oidc/jwks`)).json());
  const makeKey = async () => (await generateKeyPair('RS256')).privateKey;
  const signWith = async (claims: JWTPayload, alg: string, getKey: () => Promise<CryptoKey | Uint8Array>) =>
    new SignJWT(claims).setProtectedHeader({ alg, kid: 'first' }).sign(await getKey());

  test('an interaction of another browser, or one that is over, is a page that says what to do', async () => {
    const navigator = new Navigator(app.origin);
    const { address } = await begin(await getClient());
    const interaction = (await navigator.open(address)).headers.get('location') ?? '';
    const { navigator: other } = await signedIn();
    const response = await other.open(interaction);
    expect([response.status, response.headers.get('location')]).toEqual([400, null]);
    expect(await response.text()).toContain('started in another browser');
    await (await getRecords()).transact((tx) => tx.execute(sql`update oidc_artifacts set expires_at = now()`));
    expect((await navigator.open(interaction)).status).toBe(400);
  });

  test('a session that ended between sign-in and return gives no code', async () => {
    const navigator = new Navigator(app.origin);
    const { address } = await begin(await getClient());
    const back = (await navigator.follow(address)).searchParams.get('redirect_uri') ?? '';
    const browser = app.newBrowser();
    await app.signIn(browser);
    navigator.take(browser.cookies);
    const resume = (await navigator.open(back)).headers.get('location') ?? '';
    await app.call(browser, 'initiate-logout');
    const response = await navigator.open(resume);
    expect([response.status, response.headers.get('location')]).toEqual([400, null]);
  });

  test('a session has the code of its own sign-in alone: not of a later one of the same account', async () => {
    const { navigator: earlier } = await signedIn();
    const { navigator: later } = await signedIn();
    const navigator = new Navigator(app.origin);
    const back =
      (await navigator.follow((await begin(await getClient())).address)).searchParams.get('redirect_uri') ?? '';
    for (const [key, value] of later.jar) navigator.jar.set(key, value);
    const resume = (await navigator.open(back)).headers.get('location') ?? '';
    for (const [key, value] of earlier.jar) navigator.jar.set(key, value);
    const response = await navigator.open(resume);
    expect([response.status, response.headers.get('location')]).toEqual([400, null]);
  });

  test('the path and the cookie of an interaction are of one request', async () => {
    const navigator = new Navigator(app.origin);
    const { address } = await begin(await getClient());
    const back = (await navigator.follow(address)).searchParams.get('redirect_uri') ?? '';
    const { navigator: own } = await signedIn();
    for (const [key, value] of own.jar) navigator.jar.set(key, value);
    const resume = (await navigator.open(back)).headers.get('location') ?? '';
    const other = resume.replace(/[\w-]{43}$/, 'x'.repeat(43));
    for (const cookie of navigator.jar.values()) if (cookie.path.includes('/authorize/')) cookie.path = '/';
    const response = await navigator.open(other);
    expect([response.status, response.headers.get('location')]).toEqual([400, null]);
  });

  test.each([
    ['a control character', { nonce: 'a\0b' }, 'nonce has control characters'],
    ['a long value', { state: 's'.repeat(2_049) }, 'state has more than 2048 characters'],
    [
      'many long values',
      { state: 's'.repeat(2_000), nonce: 'n'.repeat(2_000), login_hint: 'h'.repeat(2_000) },
      'all parameters have more than 4096 characters',
    ],
  ])('%s in the parameters is an error for the client, before anything is stored', async (_name, parameters, text) => {
    const count = async () => {
      const counted = sql`select count(*)::int as rows from oidc_artifacts`;
      return JSON.stringify(await (await getRecords()).transact((tx) => tx.execute(counted)));
    };
    const before = await count();
    const started = await begin(await getClient(), parameters);
    const answer = await new Navigator(app.origin).follow(started.address);
    expect(getError(answer)).toEqual([CALLBACK, 'invalid_request', null]);
    expect(answer.searchParams.get('error_description')).toBe(text);
    expect(answer.searchParams.get('state')).toBe('state' in parameters ? parameters.state : started.state);
    expect(await count()).toBe(before);
  });

  test.each([
    ['a foreign address', { redirect_uri: 'https://attacker.example/', state: 's'.repeat(2_049) }],
    ['a faulty address', { redirect_uri: `${CALLBACK}?${'x'.repeat(2_049)}` }],
    ['an unknown client', { client_id: 'unknown', state: 's'.repeat(2_049) }],
  ])('with %s, no long value leads anywhere', async (_name, parameters) => {
    const { address } = await begin(await getClient(), parameters);
    const response = await new Navigator(app.origin).open(address);
    expect([response.status, response.headers.get('location')]).toEqual([400, null]);
  });

  test('is counted by what it was, and a failure of ours is told as one', async () => {
    const readCounts = async () =>
      (await readMetrics()).text.match(/^http_requests_total\{route="\/api\/oidc.*$/gm) ?? [];
    const readCount = async (result: string) =>
      Number((await readCounts()).find((line) => line.includes(`token",result="${result}"`))?.split(' ')[1] ?? 0);
    const ask = () =>
      fetch(`${app.origin}/api/oidc/token`, {
        method: 'POST',
        body: new URLSearchParams({
          ...{
            grant_type: 'authorization_code',
            code: 'unknown',
            redirect_uri: CALLBACK,
            code_verifier: 'v'.repeat(43),
          },
          ...{ client_id: 'moodle', client_secret: CLIENT_SECRET },
        }),
      });
    const before = { refused: await readCount('bad-request'), failed: await readCount('internal-error') };
    expect((await ask()).status).toBe(400);
    const bringBack = await takeTableAway('oidc_artifacts');
    expect((await ask()).status).toBe(500);
    await bringBack();
    expect([await readCount('bad-request'), await readCount('internal-error')]).toEqual([
      before.refused + 1,
      before.failed + 1,
    ]);
  });

  test('a parameter is given back as it was sent', async () => {
    const { navigator } = await signedIn();
    const config = await getClient();
    const started = await begin(config, { nonce: '{own-id}' });
    const answer = await navigator.follow(started.address);
    const tokens = await complete(config, answer, { ...started, nonce: '{own-id}' });
    expect(tokens.claims()?.nonce).toBe('{own-id}');
  });
});

describe('tokens', () => {
  const useTokens = async (end: (browser: Awaited<ReturnType<typeof signedIn>>['browser']) => Promise<unknown>) => {
    const { navigator, browser } = await signedIn();
    const { config, tokens } = await signInAt('moodle', navigator);
    const started = await begin(config);
    const answer = await navigator.follow(started.address);
    await end(browser);
    await expect(oidc.fetchUserInfo(config, tokens.access_token, app.user.uid)).rejects.toThrow();
    await expect(complete(config, answer, started)).rejects.toMatchObject({ error: 'invalid_grant' });
  };

  test('end with the session at once', () => useTokens((browser) => app.call(browser, 'initiate-logout')));
  test('end with the account that is disabled', () => useTokens(() => accounts().disable(app.user)));
  test('end with the account that is deleted', () => useTokens(() => accounts().remove(app.user)));
  test('end when all sign-ins are revoked elsewhere', () =>
    useTokens(async () => {
      await accounts().revoke(app.user);
    }));

  test.each([
    ['disabled', () => accounts().disable(app.user)],
    ['deleted', () => accounts().remove(app.user)],
    ['revoked', () => accounts().revoke(app.user)],
  ])('are not given for a code by the account of the last 20 s, which was %s a moment ago', async (_what, end) => {
    const { navigator } = await signedIn();
    const { config } = await signInAt('moodle', navigator);
    await end();
    const started = await begin(config, { prompt: 'none' });
    const answer = await navigator.follow(started.address);
    expect(answer.searchParams.get('code')).not.toBeNull();
    await expect(complete(config, answer, started)).rejects.toMatchObject({ error: 'invalid_grant' });
    // All clients were notified, and the session gives no code any more.
    const next = await begin(config, { prompt: 'none' });
    app.advance(30);
    expect((await navigator.follow(next.address)).searchParams.get('error')).toBe('login_required');
  });

  describe('are refused as the session is, while its record goes on, when its account', () => {
    const callPublicly = (path: string, body: object) =>
      callProvider({ emulatorHost: process.env.FIREBASE_AUTH_EMULATOR_HOST ?? '' }, `accounts:${path}`, body);
    test.each([
      ['has another address, which someone else has proved', moveAccount],
      ['is not verified any more', () => accounts().setUnverified(app.user)],
      ['has lost the method', removePassword],
    ])('%s', async (_what, change) => {
      const { navigator, browser } = await signedIn();
      const { config, tokens } = await signInAt('refreshing', navigator);
      const started = await begin(config, { prompt: 'none' });
      const answer = await navigator.follow(started.address);
      await change();
      // This code uses the account as it was cached for the last 20 s.
      const late = await begin(config, { prompt: 'none' });
      const lateAnswer = await navigator.follow(late.address);
      await expect(complete(config, answer, started)).rejects.toMatchObject({ error: 'invalid_grant' });
      await expect(complete(config, lateAnswer, late)).rejects.toMatchObject({ error: 'invalid_grant' });
      await expect(oidc.fetchUserInfo(config, tokens.access_token, app.user.uid)).rejects.toThrow();
      await expect(oidc.refreshTokenGrant(config, tokens.refresh_token ?? '')).rejects.toMatchObject({
        error: 'invalid_grant',
      });
      app.advance(30);
      expect(await app.check(browser)).toBe(401);
    });
    async function removePassword(): Promise<void> {
      const idToken = await accounts().idToken(app.user);
      expect((await callPublicly('update', { idToken, deleteProvider: ['password'] })).status).toBe(200);
    }
    /** The provider emails the owner of the address, who confirms it. */
    async function moveAccount(): Promise<void> {
      const { email } = app.user;
      const newEmail = `victim-${email}`;
      const idToken = await accounts().idToken(app.user);
      const sent = await callPublicly('sendOobCode', { requestType: 'VERIFY_AND_CHANGE_EMAIL', idToken, newEmail });
      expect(sent.status).toBe(200);
      const codes = `http://${String(process.env.FIREBASE_AUTH_EMULATOR_HOST)}/emulator/v1/projects/demo-campus/oobCodes`;
      const { oobCodes } = (await (await fetch(codes)).json()) as { oobCodes: { email: string; oobCode: string }[] };
      const oobCode = oobCodes.findLast((each) => each.email === email)?.oobCode;
      expect((await callPublicly('update', { oobCode })).status).toBe(200);
    }
  });

  test('are revoked by their client', async () => {
    const { navigator } = await signedIn();
    const { config, tokens } = await signInAt('moodle', navigator);
    // No other client can revoke it.
    const other = await getClient('canvas', oidc.ClientSecretBasic(CLIENT_SECRET));
    await expect(oidc.tokenRevocation(other, tokens.access_token)).rejects.toMatchObject({ error: 'invalid_request' });
    await oidc.fetchUserInfo(config, tokens.access_token, app.user.uid);
    await oidc.tokenRevocation(config, tokens.access_token);
    await expect(oidc.fetchUserInfo(config, tokens.access_token, app.user.uid)).rejects.toThrow();
  });

  test('nothing in the database can be used', async () => {
    const { navigator } = await signedIn();
    const config = await getClient('refreshing');
    const started = await begin(config);
    const answer = await navigator.follow(started.address);
    const tokens = await complete(config, answer, started);
    const rows = await (await getRecords()).transact((tx) => tx.execute(sql`select * from oidc_artifacts`));
    const text = JSON.stringify(rows);
    expect(text).toContain('AuthorizationCode');
    for (const secret of [answer.searchParams.get('code'), tokens.access_token, tokens.refresh_token, CLIENT_SECRET])
      expect(text).not.toContain(secret ?? 'missing');
  });
});

describe('configuration', () => {
  test('a changed file is in force without a restart, and a wrong entry leaves the others', async () => {
    const { navigator } = await signedIn();
    const { address } = await begin(await getClient());
    const asNew = new URL(address);
    asNew.searchParams.set('client_id', 'new');
    expect((await navigator.open(asNew)).status).toBe(400);
    writeClients({ ...clients, new: describeClient(), canvas: { name: 'broken' } });
    await configInForce();
    expect((await navigator.follow(asNew)).searchParams.has('code')).toBe(true);
    expect((await navigator.follow(address)).searchParams.has('code')).toBe(true);
  });

  const getKid = (token: string | undefined) =>
    (JSON.parse(Buffer.from(token?.split('.')[0] ?? '', 'base64url').toString()) as { kid: string }).kid;

  test('keys rotate without a restart: tokens of the one before stay valid', async () => {
    const { navigator } = await signedIn();
    const before = await signInAt('moodle', navigator);
    expect(getKid(before.tokens.id_token)).toBe('first');
    writeKeys('first', 'second');
    await expect
      .poll(async () => JSON.stringify(await (await fetch(`${app.origin}/api/oidc/jwks`)).json()))
      .toContain('second');
    expect(getKid((await signInAt('moodle', navigator)).tokens.id_token)).toBe('first');
    writeKeys('second', 'first');
    await expect.poll(async () => getKid((await signInAt('moodle', navigator)).tokens.id_token)).toBe('second');
    await oidc.fetchUserInfo(before.config, before.tokens.access_token, app.user.uid);
  });

  test('the first key signs, also before one that names its algorithm', async () => {
    const { navigator } = await signedIn();
    writeKeys('first', { kid: 'named', alg: 'RS256' });
    await configInForce();
    expect(getKid((await signInAt('moodle', navigator)).tokens.id_token)).toBe('first');
  });

  test('a key that is given a wrong algorithm signs as before', async () => {
    const { navigator } = await signedIn();
    writeKeys('first');
    await configInForce();
    writeKeys({ kid: 'first', alg: 'ES256' });
    await configInForce();
    expect(getKid((await signInAt('moodle', navigator)).tokens.id_token)).toBe('first');
  });
});
