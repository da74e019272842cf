// ASVS: 10.4.1, 10.4.2, 10.4.3, 10.4.10, 10.4.11, 10.6.1
// Threats: foreign-client
// Request checks of the OpenID Foundation's test plans, reimplemented. docs/openid-connect.md lists the checks that are
// not covered.
import { decodeJwt, decodeProtectedHeader } from 'jose';
import * as oidc from 'openid-client';
import { expect, describe, test, beforeEach } from 'vitest';
import { logoutJobs } from '@/lib/server/oidc/logouts';
import { getRecords } from '@/lib/server/storage/records';
import { runJobs } from '@/lib/server/storage/records/jobs';
import { Navigator } from '../support/navigator';
import {
  begin,
  CALLBACK,
  CLIENT_SECRET,
  complete,
  describeClient,
  discover,
  getIssuer,
  startLogoutReceiver,
  writeClients,
  writeKeys,
} from '../support/relying-party';
import { serveSessions } from '../support/session-app';

const AFTER = 'https://moodle.school.example/signed-out';
writeKeys('first');

const app = serveSessions();
let navigator: Navigator;
let receiver: Awaited<ReturnType<typeof startLogoutReceiver>>;

beforeEach(async () => {
  receiver = await startLogoutReceiver();
  writeClients({
    post: describeClient({ postLogoutRedirectUris: [AFTER], backchannelLogoutUri: receiver.at('post') }),
    basic: describeClient({ authentication: 'client_secret_basic', refreshTokens: true }),
    plain: describeClient({ pkce: false }),
  });
  const browser = app.newBrowser();
  await app.signIn(browser);
  navigator = new Navigator(app.origin);
  navigator.take(browser.cookies);
  return () => receiver.stop();
});

const AUTHENTICATION: Record<string, oidc.ClientAuth> = { basic: oidc.ClientSecretBasic(CLIENT_SECRET) };
const getClient = (id = 'post') => discover(app.origin, id, {}, AUTHENTICATION[id]);

/** Sends a sign-in request with these parameters. Null omits a parameter. */
async function ask(parameters: Record<string, string | null> = {}, id = 'post', by = navigator) {
  const config = await getClient(id);
  const given = Object.entries(parameters).filter((pair): pair is [string, string] => pair[1] !== null);
  const started = await begin(config, Object.fromEntries(given));
  for (const [name, value] of Object.entries(parameters)) if (value === null) started.address.searchParams.delete(name);
  return { config, started, by, response: await by.open(started.address) };
}

/** @returns the parameters in the client's redirect */
async function answer(parameters: Record<string, string | null> = {}, id = 'post', by = navigator) {
  const { config, started } = await ask(parameters, id, by);
  const next = await by.follow(started.address);
  const nonce = parameters.nonce === null ? undefined : (parameters.nonce ?? started.nonce);
  const exchange = (more = {}) =>
    complete(config, next, started, {
      expectedNonce: nonce,
      ...(nonce === undefined && { expectedNonce: undefined }),
      ...more,
    });
  return { config, started, next, exchange, query: next.searchParams };
}

const expectCode = ({ query, started }: Awaited<ReturnType<typeof answer>>) => {
  expect([query.get('error'), query.has('code'), query.get('state')]).toEqual([null, true, started.state]);
  expect(query.get('iss')).toBe(getIssuer());
};

describe('basic', () => {
  test('a code, an ID token and userinfo', async () => {
    const answered = await answer();
    expectCode(answered);
    const tokens = await answered.exchange();
    expect(tokens.token_type.toLowerCase()).toBe('bearer');
    const claims = decodeJwt(tokens.id_token ?? '');
    expect(decodeProtectedHeader(tokens.id_token ?? '')).toMatchObject({ alg: 'RS256', kid: 'first' });
    for (const name of ['iss', 'sub', 'aud', 'exp', 'iat', 'nonce', 'auth_time']) expect(claims).toHaveProperty(name);
    expect(claims.aud).toBe('post');
  });

  test.each(['post', 'basic'])(
    'the secret of %s by either way, and neither without it nor with another one',
    async (id) => {
      const by = async (authentication: oidc.ClientAuth) => {
        const config = await discover(app.origin, id, {}, authentication);
        const { started, next } = await answer({}, id);
        return complete(config, next, started);
      };
      for (const way of [
        (secret: string) => oidc.ClientSecretPost(secret),
        (secret: string) => oidc.ClientSecretBasic(secret),
      ]) {
        expect((await by(way(CLIENT_SECRET))).access_token).toBeTruthy();
        await expect(by(way(`${CLIENT_SECRET}x`))).rejects.toMatchObject({ status: 401 });
      }
      await expect(by(oidc.None())).rejects.toMatchObject({ status: 401 });
    },
  );

  test.each([
    ['no response_type', { response_type: null }, 'invalid_request'],
    ['an unknown response_type', { response_type: 'code unknown' }, 'unsupported_response_type'],
    ['an unsigned request object', { request: 'e30.e30.' }, 'request_not_supported'],
    ['a request object by address', { request_uri: 'https://moodle.school.example/r' }, 'request_uri_not_supported'],
  ])('%s is refused, by an error', async (_name, parameters, error) => {
    const { query } = await answer(parameters);
    expect([query.get('error'), query.has('code')]).toEqual([error, false]);
  });

  test.each<[string, Record<string, string | null>]>([
    ['no nonce', { nonce: null }],
    ['an unknown parameter', { extra: 'foobar' }],
    ['another order of scopes', { scope: 'email profile openid' }],
    ['scopes that are not there', { scope: 'openid address phone' }],
    ['display=page', { display: 'page' }],
    ['display=popup', { display: 'popup' }],
    ['acr_values that are unknown', { acr_values: 'urn:x:1 urn:x:2' }],
    ['ui_locales', { ui_locales: 'sv de' }],
    ['claims_locales', { claims_locales: 'sv' }],
    ['login_hint', { login_hint: 'buffy@campus.test' }],
    ['max_age that is kept', { max_age: '10000' }],
    ['claims that are essential', { claims: '{"userinfo":{"name":{"essential":true}}}' }],
    ['a resource', { resource: 'https://moodle.school.example/' }],
  ])('%s is accepted', async (_name, parameters) => {
    const answered = await answer(parameters);
    expectCode(answered);
    const tokens = await answered.exchange();
    const claims = tokens.claims();
    expect(claims?.sub).toBe(app.user.uid);
    if (parameters.max_age) expect(claims).toHaveProperty('auth_time');
  });

  test.each([
    ['openid', []],
    ['openid profile', ['family_name', 'given_name', 'name', 'preferred_username']],
    ['openid email', ['email', 'email_verified']],
  ])('the scopes %s have their claims', async (scope, names) => {
    const { config, exchange } = await answer({ scope });
    const userinfo = await oidc.fetchUserInfo(config, (await exchange()).access_token, app.user.uid);
    expect(Object.keys(userinfo).sort()).toEqual([...names, 'sub'].sort());
  });

  test('without openid in the scopes, no ID token is given', async () => {
    const { query } = await answer({ scope: 'profile' });
    expect([query.get('error'), query.has('code')]).toEqual(['invalid_request', false]);
  });

  test('userinfo by GET and by POST, with the token in the header or the body', async () => {
    const { access_token: token } = await (await answer()).exchange();
    const address = `${app.origin}/api/oidc/userinfo`;
    const headers = { authorization: `Bearer ${token}` };
    const body = new URLSearchParams({ access_token: token });
    for (const init of [{ headers }, { method: 'POST', headers }, { method: 'POST', body }])
      expect(await (await fetch(address, init)).json()).toMatchObject({ sub: app.user.uid });
    const refused = await fetch(address, { headers: { authorization: 'Bearer wrong' } });
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([
      401,
      expect.stringContaining('invalid_token'),
    ]);
  });

  test('prompt=none without a session, and with one', async () => {
    expect((await answer({ prompt: 'none' }, 'post', new Navigator(app.origin))).query.get('error')).toBe(
      'login_required',
    );
    const first = await (await answer()).exchange();
    const silent = await answer({ prompt: 'none' });
    expectCode(silent);
    const [before, after] = [first.claims(), (await silent.exchange()).claims()];
    expect([after?.sub, after?.auth_time]).toEqual([before?.sub, before?.auth_time]);
  });

  test.each<Record<string, string>>([{ prompt: 'login' }, { max_age: '1' }])(
    '%j asks the user again',
    async (parameters) => {
      app.advance(20);
      const { response, by } = await ask(parameters);
      const next = await by.follow(response.headers.get('location') ?? '');
      expect(next.pathname).toBe('/sign-in');
    },
  );

  test('id_token_hint of this user is silent, and of another one is not', async () => {
    const own = await (await answer()).exchange();
    expectCode(await answer({ prompt: 'none', id_token_hint: own.id_token ?? '' }));
    const other = app.newBrowser();
    const { createTestUser, fetchIdToken } = await import('../support/test-users');
    await app.open(other, await fetchIdToken(await createTestUser()));
    const stranger = new Navigator(app.origin);
    stranger.take(other.cookies);
    const refused = await answer({ prompt: 'none', id_token_hint: own.id_token ?? '' }, 'post', stranger);
    expect(refused.query.get('error')).toBe('login_required');
  });

  test('a code that comes again is refused, and what it gave is taken back', async () => {
    const { config, exchange } = await answer();
    const tokens = await exchange();
    await expect(exchange()).rejects.toMatchObject({ error: 'invalid_grant' });
    await expect(oidc.fetchUserInfo(config, tokens.access_token, app.user.uid)).rejects.toThrow();
  });

  test('an address that is not registered gets no redirect', async () => {
    const { response } = await ask({ redirect_uri: `${CALLBACK}x` });
    expect([response.status, response.headers.get('location')]).toEqual([400, null]);
  });

  test('a refresh token gives tokens of the same user, with the time of the sign-in', async () => {
    const { config, exchange } = await answer({}, 'basic');
    const first = await exchange();
    const next = await oidc.refreshTokenGrant(config, first.refresh_token ?? '');
    const [before, after] = [first.claims(), next.claims()];
    for (const name of ['iss', 'sub', 'aud', 'auth_time'] as const) expect(after?.[name]).toEqual(before?.[name]);
  });

  test('PKCE, and requests without it where that is allowed', async () => {
    const { next, config, started } = await answer();
    const other = { ...started, verifier: oidc.randomPKCECodeVerifier() };
    await expect(complete(config, next, other)).rejects.toMatchObject({ error: 'invalid_grant' });
    const without = await answer({ code_challenge: null, code_challenge_method: null }, 'plain');
    expectCode(without);
    // A verifier without a challenge means that the request was changed on its way.
    await expect(without.exchange()).rejects.toMatchObject({ error: 'invalid_grant' });
    const again = await answer({ code_challenge: null, code_challenge_method: null }, 'plain');
    expect((await again.exchange({ pkceCodeVerifier: undefined })).access_token).toBeTruthy();
  });
});

describe('configuration', () => {
  const read = async () =>
    (await (await fetch(`${app.origin}/api/oidc/.well-known/openid-configuration`)).json()) as Record<string, unknown>;

  test('the document has what a relying party needs, and says what there is not', async () => {
    const document = await read();
    expect(document).toMatchObject({
      issuer: getIssuer(),
      scopes_supported: expect.arrayContaining(['openid']) as unknown,
      response_types_supported: ['code'],
      grant_types_supported: expect.arrayContaining(['authorization_code']) as unknown,
      subject_types_supported: ['public', 'pairwise'],
      id_token_signing_alg_values_supported: expect.arrayContaining(['RS256']) as unknown,
      token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
      authorization_response_iss_parameter_supported: true,
      claims_parameter_supported: false,
      request_uri_parameter_supported: false,
      response_modes_supported: expect.arrayContaining(['form_post', 'query']) as unknown,
      backchannel_logout_supported: true,
      backchannel_logout_session_supported: true,
      end_session_endpoint: `${getIssuer()}/logout`,
    });
    for (const [name, value] of Object.entries(document))
      if (name.endsWith('_endpoint') || name === 'jwks_uri')
        expect(String(value).startsWith(`${getIssuer()}/`)).toBe(true);
  });

  test('each key has an id of its own and is for signatures', async () => {
    writeKeys('first', 'second');
    await expect
      .poll(async () => {
        const { keys } = (await (await fetch(`${app.origin}/api/oidc/jwks`)).json()) as {
          keys: Record<string, string>[];
        };
        return keys.map(({ kid, kty, use, d, p }) => [kid, kty, use, d, p]);
      })
      .toEqual([
        ['first', 'RSA', 'sig', undefined, undefined],
        ['second', 'RSA', 'sig', undefined, undefined],
      ]);
  });
});

describe('form post', () => {
  const readForm = async (response: Response) => {
    const html = await response.text();
    const fields = [...html.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)];
    const action = /<form method="post" action="([^"]*)"/.exec(html)?.[1];
    const decode = (text: string) => text.replaceAll('&#x2F;', '/').replaceAll('&quot;', '"').replaceAll('&amp;', '&');
    return { action, fields: Object.fromEntries(fields.map(([, name = '', value = '']) => [name, decode(value)])) };
  };

  test('a code comes by a form, and is exchanged', async () => {
    const { config, started, response } = await ask({ response_mode: 'form_post' });
    expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-store']);
    const { action, fields } = await readForm(response);
    expect([action, fields.state, fields.iss]).toEqual([CALLBACK, started.state, getIssuer()]);
    const next = new URL(`${CALLBACK}?${new URLSearchParams(fields).toString()}`);
    expect((await complete(config, next, started)).claims()?.sub).toBe(app.user.uid);
  });

  test('an error, too', async () => {
    const stranger = new Navigator(app.origin);
    const { started, response } = await ask({ response_mode: 'form_post', prompt: 'none' }, 'post', stranger);
    const { action, fields } = await readForm(response);
    expect([action, fields.error, fields.state]).toEqual([CALLBACK, 'login_required', started.state]);
  });

  test('a value of the client is text there, whatever it has', async () => {
    const state = `"><script>alert(1)</script>'&`;
    const { response } = await ask({ response_mode: 'form_post', state });
    expect(await response.clone().text()).not.toContain('<script>alert');
    expect(response.headers.get('content-security-policy')).toMatch(/script-src [^;]*'sha256-/);
  });
});

describe('logout by the client', () => {
  const leave = async (parameters: Record<string, string>) => {
    const address = new URL(`${getIssuer()}/logout`);
    address.search = new URLSearchParams(parameters).toString();
    return navigator.open(address);
  };
  const getHint = async () => (await (await answer()).exchange()).id_token ?? '';
  const where = (response: Response) => {
    const location = response.headers.get('location');
    const page = location === null ? null : new URL(location);
    return [response.status, page?.pathname ?? null, page?.searchParams.has('logout_return') ?? false];
  };
  const returns = async (response: Response) => {
    const page = new URL(response.headers.get('location') ?? '');
    const back = `${getIssuer()}/signed-out?${page.searchParams.toString()}`;
    return (await navigator.open(back)).text();
  };

  test('with a hint, an address and a state leads back to it, with the state', async () => {
    const response = await leave({ id_token_hint: await getHint(), post_logout_redirect_uri: AFTER, state: 'xyz' });
    expect(where(response)).toEqual([303, '/sign-out', true]);
    expect(await returns(response)).toContain(`${AFTER}?state=xyz`);
  });

  test('without a state leads back without one', async () => {
    const response = await leave({ id_token_hint: await getHint(), post_logout_redirect_uri: AFTER });
    const html = await returns(response);
    expect([html.includes(AFTER), html.includes('state=')]).toEqual([true, false]);
  });

  test.each<[string, () => Promise<Record<string, string>> | Record<string, string>]>([
    ['nothing', () => ({})],
    ['a state alone', () => ({ state: 'xyz' })],
    ['a hint without an address', async () => ({ id_token_hint: await getHint() })],
  ])('with %s asks, and leads nowhere', async (_name, get) => {
    expect(where(await leave(await get()))).toEqual([303, '/sign-out', false]);
  });

  test.each<[string, (hint: string) => Record<string, string>]>([
    ['an address that is not registered', (hint) => ({ id_token_hint: hint, post_logout_redirect_uri: `${AFTER}x` })],
    ['a query more than registered', (hint) => ({ id_token_hint: hint, post_logout_redirect_uri: `${AFTER}?x=1` })],
    [
      'a hint that was changed',
      (hint) => ({ id_token_hint: `${hint.slice(0, -6)}AAAAAA`, post_logout_redirect_uri: AFTER }),
    ],
    ['a hint that is none', () => ({ id_token_hint: 'x', post_logout_redirect_uri: AFTER })],
    ['an address without a hint or client', () => ({ post_logout_redirect_uri: AFTER })],
  ])('with %s leads nowhere', async (_name, get) => {
    const response = await leave(get(await getHint()));
    expect([400, 303]).toContain(response.status);
    expect(where(response)[2]).toBe(false);
  });
});

describe('logout by the back channel', () => {
  test('tells the client by a token of the same session, signed and not to be taken for an ID token', async () => {
    const tokens = await (await answer()).exchange();
    const browser = app.newBrowser();
    for (const [key, { value }] of navigator.jar) browser.cookies[key.split(' ')[0] ?? ''] = value;
    await app.call(browser, 'initiate-logout');
    await runJobs(await getRecords(), logoutJobs);
    const [told, ...more] = receiver.received;
    expect(more).toEqual([]);
    const token = decodeJwt(told?.token ?? '');
    expect(token).toMatchObject({ iss: getIssuer(), aud: 'post', sub: app.user.uid, sid: tokens.claims()?.sid });
    expect(token.events).toEqual({ 'http://schemas.openid.net/event/backchannel-logout': {} });
    expect(token).not.toHaveProperty('nonce');
    expect((token.exp ?? 0) - (token.iat ?? 0)).toBeLessThanOrEqual(120);
    const header = decodeProtectedHeader(told?.token ?? '');
    expect([header.alg, header.typ]).toEqual([decodeProtectedHeader(tokens.id_token ?? '').alg, 'logout+jwt']);
  });
});
