// ASVS: 10.4.1, 10.4.10
// Threats: foreign-client, open-redirect
// cspell:ignore Überlingen مدرسة البحيرة moodel Anmeldung Abmeldung nicht geklappt zurück
import { parseCookie } from 'cookie';
import * as oidc from 'openid-client';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { env, log } from '@/lib/server/runtime';
import { explainOidcRequest } from '@/lib/server/oidc';
import { loadSignOut } from '@/lib/server/web';
import { PAGE_ACCOUNT_FIELD } from '@/lib/shared/request-headers';
import type { CookieJar } from '../support/client';
import { listen } from '../support/listen';
import { mkdtempSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
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
import { fetchIdToken, shiftIdToken } from '../support/test-users';

// Requirements of products that the libraries of other tests do not have.

process.env.LOCALES = 'en,de,ar';

const APP_CALLBACK = 'example.lakeside.app:/callback';
const secretFile = path.join(mkdtempSync(path.join(os.tmpdir(), 'oidc-clients-')), 'secret');
/** The secret is in the format of `openssl rand -base64 32`. A client that decodes it reads `%2B` as `+`. */
const RAW_SECRET = 'q8+Zr/2mB%2Bq8+Zr/2mB%2Bq8+Zr/2mB%41=';
writeFileSync(secretFile, RAW_SECRET);
/** Has every character that a secret can have, including a `%` that begins no escape. */
const ODD_SECRET = Array.from({ length: 94 }, (_, at) => String.fromCharCode(33 + at)).join('');
writeFileSync(`${secretFile}-odd`, `${ODD_SECRET}\n`);

writeClients({
  moodle: describeClient(),
  basic: describeClient({ authentication: 'client_secret_basic', secretFile }),
  odd: describeClient({ authentication: 'client_secret_basic', secretFile: `${secretFile}-odd` }),
  told: describeClient({ name: 'Told', backchannelLogoutUri: 'http://localhost:9/logout' }),
  linked: describeClient({
    ...{ name: 'Linked', logoutUri: 'https://linked.example/login/logout.php' },
    postLogoutRedirectUris: ['https://linked.example/'],
  }),
  lab: describeClient({ name: "St. Mary's Gymnasium Überlingen", reauthenticate: true }),
  app: describeClient({
    ...{ name: 'مدرسة البحيرة', native: true, authentication: 'none', secretFile: undefined },
    redirectUris: [APP_CALLBACK, 'http://127.0.0.1/callback', 'http://[::1]:1/callback'],
    postLogoutRedirectUris: ['example.lakeside.app:/signed-out', 'http://127.0.0.1/signed-out'],
  }),
  desktop: describeClient({
    ...{ native: true, authentication: 'none', secretFile: undefined },
    redirectUris: ['http://localhost/callback?from=desktop'],
  }),
});
writeKeys('first');

const app = serveSessions();
const getClient = (id: string, authentication?: oidc.ClientAuth) => discover(app.origin, id, {}, authentication);

async function signedIn() {
  const browser = app.newBrowser();
  await app.signIn(browser);
  const navigator = new Navigator(app.origin);
  navigator.take(browser.cookies);
  return { browser, navigator };
}

const post = (endpoint: string, form: Record<string, string>, headers: Record<string, string> = {}) =>
  fetch(`${app.origin}/api/oidc/${endpoint}`, { method: 'POST', body: new URLSearchParams(form), headers });
const grant = { grant_type: 'authorization_code', code: 'unknown', redirect_uri: CALLBACK };
const basic = (user: string, password: string) => ({
  authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
});

describe('discovery', () => {
  test('is there for clients of OAuth 2.0', async () => {
    const read = async (name: string) => (await fetch(`${app.origin}/api/oidc/.well-known/${name}`)).json() as unknown;
    const document = await read('oauth-authorization-server');
    expect(document).toEqual(await read('openid-configuration'));
    expect(document).toMatchObject({ issuer: getIssuer(), token_endpoint: `${getIssuer()}/token` });
  });
});

describe('Basic credentials', () => {
  const ask = async (secret: string, id = 'basic') => {
    const response = await post('token', { ...grant, code_verifier: 'v'.repeat(43) }, basic(id, secret));
    return [response.status, ((await response.json()) as { error: string }).error];
  };

  test.each([
    ['form-encoded', encodeURIComponent(RAW_SECRET)],
    ['as it is', RAW_SECRET],
  ])('are accepted with the secret %s', async (_name, secret) => {
    expect(await ask(secret)).toEqual([400, 'invalid_grant']);
  });

  test.each([
    ['another one', RAW_SECRET.replace('q', 'p')],
    ['its own decoding', decodeURIComponent(RAW_SECRET.replaceAll('+', '%20'))],
    ['a part', RAW_SECRET.slice(0, -1)],
    ['twice encoded', encodeURIComponent(encodeURIComponent(RAW_SECRET))],
    ['with a space for a plus', RAW_SECRET.replaceAll('+', ' ')],
    ['none', ''],
  ])('are refused with %s', async (_name, secret) => {
    const [status, error] = await ask(secret);
    expect([400, 401]).toContain(status);
    expect(['invalid_client', 'invalid_request']).toContain(error);
  });

  test('are accepted with every character, and so is the secret in the body', async () => {
    expect(await ask(ODD_SECRET, 'odd')).toEqual([400, 'invalid_grant']);
    expect(await ask(encodeURIComponent(ODD_SECRET), 'odd')).toEqual([400, 'invalid_grant']);
    expect(await ask(new URLSearchParams({ x: ODD_SECRET }).toString().slice(2), 'odd')).toEqual([
      400,
      'invalid_grant',
    ]);
    const form = { ...grant, code_verifier: 'v'.repeat(43), client_id: 'odd', client_secret: ODD_SECRET };
    expect(await (await post('token', form)).json()).toMatchObject({ error: 'invalid_grant' });
    for (const wrong of [ODD_SECRET.slice(1), ODD_SECRET.replace(':', ''), ODD_SECRET.toLowerCase()])
      expect((await ask(wrong, 'odd'))[1]).not.toBe('invalid_grant');
  });

  test('of one client are of no other', async () => {
    expect(await ask(RAW_SECRET, 'moodle')).toEqual([401, 'invalid_client']);
    expect(await ask(CLIENT_SECRET, 'moodle')).toEqual([400, 'invalid_grant']);
  });
});

describe('a refused client', () => {
  const findLines = (spy: { mock: { calls: unknown[][] } }) =>
    spy.mock.calls.filter(([, text]) => text === 'a client was refused').map(([entry]) => entry);

  test.each([
    ['a wrong secret', { client_id: 'moodle', client_secret: 'not-the-secret' }, 'moodle', 'invalid secret provided'],
    ['an unknown id', { client_id: 'moodel', client_secret: 'not-the-secret' }, 'moodel', 'client not found'],
    ['what is no id', { client_id: 'a b', client_secret: 'not-the-secret' }, 'unknown', 'client not found'],
    [
      'an unknown code',
      { client_id: 'moodle', client_secret: CLIENT_SECRET },
      'moodle',
      'authorization code not found',
    ],
  ])('with %s is logged with the reason, and without what it sent', async (_name, given, client, reason) => {
    const spy = vi.spyOn(log(), 'warn');
    await post('token', { ...grant, code_verifier: 'v'.repeat(43), ...given });
    expect(findLines(spy)).toEqual([
      expect.objectContaining({ client, reason: expect.stringContaining(reason) as unknown }),
    ]);
    expect(JSON.stringify(spy.mock.calls)).not.toMatch(/not-the-secret|a-client-secret/);
    spy.mockRestore();
  });

  test('by Basic credentials is named, too', async () => {
    const spy = vi.spyOn(log(), 'warn');
    await post('revoke', { token: 'x' }, basic('moodle', 'not-the-secret'));
    expect(findLines(spy)).toEqual([expect.objectContaining({ client: 'moodle', error: 'invalid_client' })]);
    spy.mockRestore();
  });

  test('is logged where its user sees a page, which has the id of the line', async () => {
    const spy = vi.spyOn(log(), 'warn');
    const { address } = await begin(await getClient('moodle'), { redirect_uri: 'https://other.example/' });
    const response = await new Navigator(app.origin).open(address);
    const html = await response.text();
    expect(findLines(spy)).toEqual([expect.objectContaining({ client: 'moodle', error: 'invalid_redirect_uri' })]);
    const id = response.headers.get('x-request-id') ?? '';
    expect(id).toMatch(/^[\w-]{8,}$/);
    expect(html).toContain(`Support code: <code>${id}</code>`);
    spy.mockRestore();
  });
});

describe('a page of the provider', () => {
  test.each([
    ['authorize', 'Die Anmeldung hat nicht geklappt'],
    ['logout', 'Die Abmeldung hat nicht geklappt'],
    ['signed-out', 'Der Weg zurück hat nicht geklappt'],
  ])('%s is in the language of ui_locales', async (endpoint, title) => {
    const query = new URLSearchParams({ client_id: 'unknown', ui_locales: 'xx de' });
    const response = await new Navigator(app.origin).open(`${getIssuer()}/${endpoint}?${query.toString()}`);
    expect(await response.text()).toContain(`<html lang="de" dir="ltr">`);
    const again = await new Navigator(app.origin).open(`${getIssuer()}/${endpoint}?${query.toString()}`);
    expect(await again.text()).toContain(`<h1>${title}</h1>`);
  });

  test('of a logout that is refused says so, and leads to a sign-out', async () => {
    const query = new URLSearchParams({ client_id: 'moodle', post_logout_redirect_uri: 'https://other.example/' });
    const response = await new Navigator(app.origin).open(`${getIssuer()}/logout?${query.toString()}`);
    const html = await response.text();
    expect(response.status).toBe(400);
    expect(html).toContain("<h1>You couldn't be signed out</h1>");
    expect(html).toContain('<a href="/sign-out">Sign out of ');
    query.set('ui_locales', 'de "en&');
    const german = await new Navigator(app.origin).open(`${getIssuer()}/logout?${query.toString()}`);
    expect(await german.text()).toContain('<a href="/sign-out?ui_locales=de+%22en%26">');
  });

  test('hands its language over to the sign-out page', async () => {
    const response = await new Navigator(app.origin).open(`${getIssuer()}/logout?ui_locales=ar`);
    expect(new URL(response.headers.get('location') ?? '').search).toBe('?ui_locales=ar');
  });
});

test.each([
  ['an unknown token', { token: 'unknown' }, 200],
  ['an unknown token of a kind', { token: 'unknown', token_type_hint: 'refresh_token' }, 200],
  ['a kind that there is not', { token: 'unknown', token_type_hint: 'id_token' }, 200],
  ['no token', {}, 400],
  ['a wrong secret', { token: 'unknown', client_secret: 'not-the-secret' }, 401],
])('a revocation with %s is answered with %o and %i', async (_, given, status) => {
  const response = await post('revoke', { client_id: 'moodle', client_secret: CLIENT_SECRET, ...given });
  expect(response.status).toBe(status);
  const type = response.headers.get('content-type');
  if (status === 200) expect([type, await response.text()]).toEqual([null, '']);
  else expect(type).toMatch(/^application\/json/);
});

describe('a client with reauthenticate', () => {
  test('gets no session of before, and no silent sign-in', async () => {
    const { navigator, browser } = await signedIn();
    app.advance(20);
    const config = await getClient('lab');
    const silent = await navigator.follow((await begin(config, { prompt: 'none' })).address);
    expect(silent.searchParams.get('error')).toBe('login_required');
    const started = await begin(config);
    const signIn = await navigator.follow(started.address);
    expect(signIn.pathname).toBe('/sign-in');
    const back = signIn.searchParams.get('redirect_uri') ?? '';
    expect((await navigator.follow(back)).pathname).toBe('/sign-in');
    await app.open(browser, shiftIdToken(await fetchIdToken(app.user), 20));
    navigator.take(browser.cookies);
    expect((await complete(config, await navigator.follow(back), started)).claims()?.sub).toBe(app.user.uid);
    // The next request asks again.
    app.advance(40);
    expect((await navigator.follow((await begin(config)).address)).pathname).toBe('/sign-in');
  });
});

describe('a native app', () => {
  test.each([
    APP_CALLBACK,
    'http://127.0.0.1:52417/callback',
    'http://127.0.0.1/callback',
    'http://[::1]:8080/callback',
  ])('gets its code at %s', async (uri) => {
    const { navigator } = await signedIn();
    const config = await getClient('app', oidc.None());
    const started = await begin(config, { redirect_uri: uri });
    const answer = await navigator.follow(started.address);
    expect(answer.href.split('?')[0]).toBe(uri);
    expect((await complete(config, answer, started)).claims()?.sub).toBe(app.user.uid);
  });

  test.each([
    'example.lakeside.app:/other',
    'example.lakeside.other:/callback',
    'http://127.0.0.1:52417/other',
    'http://127.0.0.2:52417/callback',
    'http://127.0.0.1:52417@attacker.example/callback',
    'http://localhost:52417/callback',
    'https://127.0.0.1/callback',
  ])('gets none at %s', async (uri) => {
    const { navigator } = await signedIn();
    const { address } = await begin(await getClient('app', oidc.None()), { redirect_uri: uri });
    expect((await navigator.open(address)).status).toBe(400);
  });

  test('gets its code at localhost with any port, and its query as it is', async () => {
    const { navigator } = await signedIn();
    const config = await getClient('desktop', oidc.None());
    const uri = 'http://localhost:52417/callback?from=desktop';
    const started = await begin(config, { redirect_uri: uri });
    const answer = await navigator.follow(started.address);
    expect(answer.href.startsWith(`${uri}&`)).toBe(true);
    const other = await begin(config, { redirect_uri: 'http://localhost:52417/callback?from=other' });
    expect((await navigator.open(other.address)).status).toBe(400);
  });

  test.each([
    ['example.lakeside.app:/signed-out', 303],
    ['http://127.0.0.1:52417/signed-out', 303],
    ['http://127.0.0.1:52417/elsewhere', 400],
    ['http://[::1]:52417/signed-out', 400],
  ])('is led back after a logout to %s: %i', async (uri, status) => {
    const { navigator } = await signedIn();
    const query = new URLSearchParams({ client_id: 'app', post_logout_redirect_uri: uri, state: 'x' });
    const address = `${getIssuer()}/logout?${query.toString()}`;
    expect((await navigator.open(address)).status).toBe(status);
    expect((await explainOidcRequest(address))?.problems).toHaveLength(status === 400 ? 1 : 0);
  });

  test('has to use PKCE', async () => {
    const { navigator } = await signedIn();
    const { address } = await begin(await getClient('app', oidc.None()), { redirect_uri: APP_CALLBACK });
    address.searchParams.delete('code_challenge');
    address.searchParams.delete('code_challenge_method');
    expect((await navigator.follow(address)).searchParams.get('error')).toBe('invalid_request');
  });

  test('shares its code with no frame of another site, whose origin is null, too', async () => {
    const headers = { origin: 'null' };
    const response = await post('token', { ...grant, client_id: 'app', code_verifier: 'v'.repeat(43) }, headers);
    expect(response.headers.get('access-control-allow-origin')).toBeNull();
  });

  test('is named to its user as it is written, and without a host', async () => {
    const { address } = await begin(await getClient('app', oidc.None()), { redirect_uri: APP_CALLBACK });
    const navigator = new Navigator(app.origin);
    const html = await (await navigator.open((await navigator.open(address)).headers.get('location') ?? '')).text();
    expect(html).toContain(String.raw`{\"domain\":\"${'\u2068مدرسة البحيرة\u2069'}\",\"course\":null}`);
  });
});

describe('a sign-out', () => {
  type Shown = { props?: Record<string, unknown>; redirect?: { destination: string } };
  let pages: Awaited<ReturnType<typeof listen>>;
  beforeAll(async () => {
    pages = await listen((req, res) => {
      const query = Object.fromEntries(new URL(req.url ?? '/', app.origin).searchParams);
      const context = {
        req: Object.assign(req, { cookies: parseCookie(req.headers.cookie ?? '') as Record<string, string> }),
        res,
        query,
        resolvedUrl: req.url ?? '',
      };
      void loadSignOut(context).then((shown) => res.end(JSON.stringify(shown)));
    });
  });
  afterAll(() => pages.stop());

  /** Returns the content of the page /sign-out for a browser. */
  const show = async ({ cookies }: CookieJar, query = '', form?: Record<string, string>): Promise<Shown> => {
    const cookie = Object.entries(cookies).map(([name, value]) => `${name}=${value}`);
    const headers = {
      cookie: cookie.join('; '),
      origin: env().NEXT_PUBLIC_APP_ORIGIN,
      'sec-fetch-site': 'same-origin',
    };
    const post = form && { method: 'POST', body: new URLSearchParams(form) };
    const response = await fetch(`http://localhost:${String(pages.port)}/sign-out${query}`, { headers, ...post });
    return (await response.json()) as Shown;
  };
  const signInAt = async (navigator: Navigator, ...ids: string[]) => {
    for (const id of ids) {
      const started = await begin(await getClient(id));
      expect((await navigator.follow(started.address)).searchParams.has('code')).toBe(true);
    }
  };
  const moodle = { name: 'Lakeside Moodle', address: null, host: 'moodle.school.example' };
  const linked = { name: 'Linked', address: 'https://linked.example/login/logout.php', host: 'linked.example' };

  test('that reaches every client says so, and names none afterwards', async () => {
    const { navigator, browser } = await signedIn();
    await signInAt(navigator, 'told');
    expect((await show(browser)).props).toMatchObject({ staying: [], failure: null });
    expect((await app.call(browser, 'initiate-logout')).body).toEqual({});
  });

  test('names the clients that it cannot tell, before and after', async () => {
    const { navigator, browser } = await signedIn();
    await signInAt(navigator, 'moodle', 'told', 'linked');
    const { props } = await show(browser);
    expect(props?.staying).toHaveLength(2);
    expect(props?.staying).toEqual(expect.arrayContaining([moodle, linked]));
    const after = await show(browser, '?redirect_uri=http://localhost:3001/after', {
      [PAGE_ACCOUNT_FIELD]: app.user.uid,
    });
    const page = new URL(after.redirect?.destination ?? '', app.origin);
    expect([page.pathname, page.searchParams.get('redirect_uri')]).toEqual([
      '/sign-out',
      'http://localhost:3001/after',
    ]);
    // This browser has no cookies, because the response has cleared them.
    const signedOut = await show(app.newBrowser(), page.search);
    expect(signedOut.props).toMatchObject({ next: 'http://localhost:3001/after' });
    expect(signedOut.props?.left).toEqual(expect.arrayContaining([moodle, linked]));
    // The list is not shown while a user is signed in.
    const { browser: other } = await signedIn();
    expect((await show(other, page.search)).props).toMatchObject({ staying: [], failure: null });
  });

  test.each(['', 'x', 'a.b.c.d.e'])('%j names no client', async (sealed) => {
    const shown = await show(app.newBrowser(), `?left_clients=${sealed}`);
    expect(shown.redirect?.destination).toBe('/sign-in');
  });

  test('that a client asks for leaves out that client, if it shows its own ID token', async () => {
    const { navigator, browser } = await signedIn();
    const config = await getClient('linked');
    const started = await begin(config);
    const tokens = await complete(config, await navigator.follow(started.address), started);
    const ask = async (more: Record<string, string>) => {
      const query = { post_logout_redirect_uri: 'https://linked.example/', ...more };
      const address = `${getIssuer()}/logout?${new URLSearchParams(query).toString()}`;
      const page = new URL((await navigator.open(address)).headers.get('location') ?? '');
      return (await show(browser, page.search)).props?.staying;
    };
    expect(await ask({ id_token_hint: tokens.id_token ?? '' })).toEqual([]);
    expect(await ask({ client_id: 'linked' })).toEqual([linked]);
  });

  test.each(['initiate-logout', 'clear-device', 'account/sign-out-everywhere'])(
    'by %s leads to the page that names them',
    async (call) => {
      const { navigator, browser } = await signedIn();
      await signInAt(navigator, 'moodle');
      const { signedOutPage } = (await app.call(browser, call)).body as { signedOutPage: string };
      const { props } = await show(app.newBrowser(), signedOutPage.slice('/sign-out'.length));
      expect(props?.left).toEqual([moodle]);
    },
  );
});
