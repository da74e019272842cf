// Threats: cache-poisoning
// cspell:ignore subrequest prerender Iniciar sesión Anmelden denglish
import { readFileSync } from 'node:fs';
import { get } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { hasNginx, startNginx } from '../../../scripts/lib/nginx.mjs';
import { freePorts } from '../../../scripts/lib/ports.mjs';
import { startOtherApp } from '../../../scripts/lib/stack.mjs';
import { createAccountsClient } from '../../support/accounts-client';
import { openSession } from '../../support/client';

/** Pages that shared caches may store, from the table in the documents. */
const [, ROUTES = ''] = /^\| `s-maxage=[^`]*` \| (.+) \|$/m.exec(readFileSync('docs/deploy/caches.md', 'utf8')) ?? [];
const PAGES = [...ROUTES.matchAll(/`(\/(?!api\/)[^`]*)`/g)].map(([, page = '']) => page);

const CALLBACK = 'http://localhost:3001/user/courses/';
/** Queries that a link can have, from the visitor or an attacker. */
const QUERIES = [
  '',
  '?redirect_uri=http%3A%2F%2Flocalhost%3A3001%2Fuser%2Fcourses%2Falgebra',
  '?redirect_uri=https%3A%2F%2Fevil.example%2F&acr_values=aal2&theme=dark',
  '?return_to=security&notification=signedOut&utm_source=mail&theme=light',
  '?email=mia%40campus.test&flow=x&course=algebra&x=%3Cscript%3E&x=2&__proto__=1&%zz',
  `?${'x'.repeat(4000)}`,
];
const HEADERS: Record<string, string>[] = [
  {},
  { referer: `${CALLBACK}referrer` },
  { cookie: 'callbackUrl=http%3A%2F%2Flocalhost%3A3001%2Fuser; kk_logged_in=0; theme=dark; known-browser=x' },
  // Cookies of the framework's preview of drafts.
  { cookie: '__prerender_bypass=x; __next_preview_data=y' },
  { 'x-nextjs-data': '1' },
  { 'x-middleware-prefetch': '1', purpose: 'prefetch' },
  { 'x-page-query': '?lang=de', 'x-middleware-rewrite': '/security', 'x-middleware-subrequest': 'middleware' },
  { rsc: '1', 'next-router-prefetch': '1', accept: 'text/x-component' },
  { range: 'bytes=0-9', 'if-none-match': '"x"', 'if-modified-since': 'Wed, 25 Nov 2026 00:00:00 GMT' },
  {
    'x-forwarded-host': 'evil.example',
    'x-forwarded-for': '203.0.113.9',
    'x-language': 'ja',
    'x-request-id': 'attacker',
  },
  { 'accept-encoding': 'gzip' },
];

type Page = { status: number; headers: Record<string, string | string[] | undefined>; text: string };

function open(url: string, headers: Record<string, string> = {}): Promise<Page> {
  return new Promise((resolve, reject) => {
    get(url, { headers, agent: false }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () => {
        const bytes = Buffer.concat(chunks);
        const isZipped = answer.headers['content-encoding'] === 'gzip';
        const text = (isZipped ? gunzipSync(bytes) : bytes).toString();
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text });
      });
    }).on('error', reject);
  });
}

const getLanguage = ({ text }: Page) => /<html lang="([^"]*)"/.exec(text)?.[1];
const isStored = ({ headers }: Page) => headers['cache-control']?.includes('s-maxage') === true;

describe('a page of a signed-out visitor', () => {
  const { appOrigin } = inject('endpoints');

  test.each(PAGES)('%s is the same for every query, and for whatever else a client sends', async (page) => {
    const first = await open(appOrigin + page);
    expect(isStored(first)).toBe(true);
    for (const query of QUERIES)
      for (const headers of HEADERS) {
        const answer = await open(appOrigin + page + query, headers);
        // A response that differs must be private to its visitor.
        if (isStored(answer))
          expect([query, headers, answer.text === first.text, answer.headers['set-cookie']]).toEqual([
            ...[query, headers, true],
            undefined,
          ]);
        // Caches may guess how long they keep other statuses (RFC 9110, section 15.1).
        else if (answer.headers['cache-control'] === undefined) expect(answer.status).toBeOneOf([307, 400]);
        else expect(answer.headers['cache-control']).toMatch(/^(?:private, )?no-store|^private, no-cache/);
        if (Object.keys(headers).length === 0 && !query.includes('%zz'))
          expect([query, isStored(answer)]).toEqual([query, true]);
      }
  });

  test("with a session cookie, a page is no one else's, whatever the cookie is", async () => {
    for (const page of PAGES)
      for (const cookie of ['_secure-user-session=x', 'a=b; _secure-user-session=x.y.z']) {
        const answer = await open(`${appOrigin}${page}?redirect_uri=${CALLBACK}`, { cookie });
        // These pages do not read the session.
        if (['/forget-password', '/app-shell', '/self-check', '/sign-in/link-account'].includes(page)) continue;
        expect([page, isStored(answer)]).toEqual([page, false]);
      }
  });
});

describe.runIf(hasNginx())('behind nginx as it is shipped', () => {
  const LANGUAGES = { en: 'Sign in', es: 'Iniciar sesión', de: 'Anmelden', fr: 'Se connecter', ja: 'ログイン' };
  const shared = inject('endpoints');
  let app: Awaited<ReturnType<typeof startOtherApp>>;
  let nginx: Awaited<ReturnType<typeof startNginx>>;
  let session: string;

  beforeAll(async () => {
    const [port = 0, checkPort = 0] = await freePorts(2);
    app = await startOtherApp(shared, {
      NEXT_PUBLIC_APP_ORIGIN: `http://localhost:${port}`,
      TRUSTED_PROXY_HOPS: '1',
      LOCALES: 'en,es,pt-BR,fr,de,ar,ja',
      LANGUAGE_HEADER: 'x-language',
      CHECK_PORT: String(checkPort),
    });
    nginx = await startNginx({
      port,
      origins: [app.endpoints.appOrigin],
      checkOrigins: [app.endpoints.checkOrigin],
    });
    const accounts = createAccountsClient(shared);
    session = await openSession(nginx.origin, await accounts.idToken(await accounts.create()), {
      origin: nginx.origin,
    });
  }, 240_000);
  afterAll(async () => {
    await nginx.stop();
    await app.stop();
  });

  test('a lesson begins: two thousand visitors, of whom one in a hundred at most reaches a process', async () => {
    const ways: [Record<string, string>, keyof typeof LANGUAGES][] = [
      [{}, 'en'],
      [{ 'accept-language': 'de-CH,de;q=0.9,en;q=0.8' }, 'de'],
      [{ 'accept-language': 'ko-KR, ko;q=0.9, ja;q=0.8, en;q=0.7' }, 'ja'],
      [{ 'accept-language': 'ES-419' }, 'es'],
      [{ 'accept-language': 'ko' }, 'en'],
      [{ 'accept-language': 'de', cookie: 'a=b; lang=es; c=d' }, 'es'],
      [{ 'accept-language': 'de', cookie: 'lang=xx' }, 'de'],
      [{ cookie: 'lang=en; theme=dark', 'accept-encoding': 'gzip, deflate, br' }, 'en'],
      [{ 'accept-language': 'ja', 'accept-encoding': 'br;q=1.0, gzip;q=0.8' }, 'ja'],
      [{ 'accept-language': 'denglish, fr;q=0.5, *;q=0.1', referer: CALLBACK }, 'fr'],
    ];
    const before = nginx.readCacheStates('/sign-in').length;
    const bodies: Partial<Record<string, string>> = {};
    const ids = new Set<unknown>();
    const visitors = Array.from({ length: 2000 }, (_, index) => index);
    const visit = async (index: number) => {
      const [headers, language] = ways[index % ways.length] ?? [{}, 'en'];
      const query = new URLSearchParams({ redirect_uri: `${CALLBACK}${index}`, theme: index % 2 ? 'dark' : 'light' });
      const page = await open(`${nginx.origin}/sign-in?${query.toString()}`, headers);
      expect([page.status, headers, getLanguage(page)]).toEqual([200, headers, language]);
      expect(page.text).not.toContain('courses/');
      bodies[language] ??= page.text;
      expect(page.text === bodies[language]).toBe(true);
      expect(page.headers['set-cookie']).toBeUndefined();
      expect(page.headers.vary).toContain('x-language');
      ids.add(page.headers['x-request-id']);
    };
    for (let at = 0; at < visitors.length; at += 100) await Promise.all(visitors.slice(at, at + 100).map(visit));
    for (const [language, title] of Object.entries(LANGUAGES)) expect(bodies[language]).toContain(title);
    expect(ids.size).toBe(2000);
    await expect.poll(() => nginx.readCacheStates('/sign-in').length).toBe(before + 2000);
    const states = nginx.readCacheStates('/sign-in').slice(before);
    expect(states.filter((state) => state !== 'HIT').length).toBeLessThanOrEqual(20);
  });

  test('what an attacker asks for first is not what the next visitor gets', async () => {
    for (const page of PAGES)
      for (const headers of HEADERS) for (const query of QUERIES) await open(nginx.origin + page + query, headers);
    for (const page of PAGES) {
      const [stored, own] = [await open(nginx.origin + page), await open(nginx.origin + page, named())];
      expect([page, stored.status, getLanguage(stored)]).toEqual([page, 200, 'en']);
      expect(stored.text).not.toContain('evil');
      expect(own.headers['x-request-id']).not.toBe('attacker');
    }
  });

  test('each host has its own page', async () => {
    const { port } = new URL(nginx.origin);
    for (let round = 0; round < 2; round += 1) {
      expect((await open(`${nginx.origin}/sign-in`)).text).not.toContain('Acme Academy');
      expect((await open(`http://127.0.0.1:${port}/sign-in`, { host: `acme.localhost:${port}` })).text).toContain(
        'Acme Academy',
      );
    }
  });

  const named = () => ({ cookie: `a=b; _secure-user-session=${session}` });

  test('a visitor with a session is never answered from the cache, and leaves nothing in it', async () => {
    for (const cookie of [named().cookie, '_secure-user-session=x', 'a=b; _secure-user-session=x']) {
      const answer = await open(`${nginx.origin}/sign-in?redirect_uri=${CALLBACK}mine`, { cookie });
      expect([answer.status, isStored(answer)]).toEqual([cookie === named().cookie ? 307 : 200, false]);
      await expect.poll(() => nginx.readCacheStates('/sign-in').at(-1)).toBe('BYPASS');
      expect((await open(`${nginx.origin}/sign-in`)).status).toBe(200);
    }
  });

  test.each(['lang=de', 'x=1&ui_locales=ko%20de', 'lang=de&redirect_uri=x'])(
    'an address that names a language (%s) is answered by a process, which keeps it, and leaves nothing in the cache',
    async (query) => {
      const visitors: Record<string, string>[] = [{}, { 'accept-language': 'ja' }, { cookie: 'lang=es' }];
      for (const headers of visitors) {
        const answer = await open(`${nginx.origin}/sign-in?${query}`, headers);
        expect([getLanguage(answer), isStored(answer)]).toEqual(['de', false]);
        expect(String(answer.headers['set-cookie'])).toMatch(/^lang=de;/);
        expect(getLanguage(await open(`${nginx.origin}/sign-in`))).toBe('en');
      }
    },
  );

  test('a page that is not complete, and an error, are not stored', async () => {
    for (const path of ['/nowhere', '/sign-in/', '/Sign-In', '/security', '/registration/confirm', '/actions?mode=x']) {
      await open(nginx.origin + path);
      await open(nginx.origin + path);
      expect(nginx.readCacheStates(path.split('?')[0] ?? '')).not.toContain('HIT');
    }
  });

  test('session checks reach their listener, also when the other one does not answer them', async () => {
    const answer = await fetch(`${nginx.origin}/api/check-auth-status`, { method: 'POST', headers: named() });
    expect(answer.status).toBe(200);
  });
});

test('pages in several languages are stored by no cache whose proxy does not name the language', async () => {
  const app = await startOtherApp(inject('endpoints'), { LOCALES: 'en,de' });
  const visitors: Record<string, string>[] = [{}, { 'x-language': 'de' }, { 'accept-language': 'de' }];
  for (const headers of visitors) {
    const page = await open(`${app.endpoints.appOrigin}/sign-in`, headers);
    expect([isStored(page), getLanguage(page)]).toEqual([false, 'accept-language' in headers ? 'de' : 'en']);
  }
  await app.stop();
});
