import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { GetServerSidePropsContext } from 'next';
import { beforeAll, expect, test } from 'vitest';
import { createPageProps, getUnknownPageProps, type PageProps } from './page';

beforeAll(() => {
  process.env.FIREBASE_AUTH_EMULATOR_HOST = 'localhost:9';
  process.env.LOCALES = 'en, es';
});

type Visit = { query?: Record<string, string | string[]>; cookie?: string; acceptLanguage?: string };

function visit({ query = {}, cookie, acceptLanguage }: Visit): GetServerSidePropsContext {
  const req = Object.assign(new IncomingMessage(new Socket()), { cookies: {} });
  Object.assign(req.headers, { host: 'localhost:3000', cookie, 'accept-language': acceptLanguage });
  return { req, res: new ServerResponse(req), query, resolvedUrl: '/sign-in' };
}

async function open(request: Visit) {
  const context = visit(request);
  const { res } = context;
  const result = await createPageProps('/sign-in', { awaitsConfig: true })(context);
  if (!('props' in result)) throw new Error('no page');
  const { texts, publicEnv } = (await result.props) as PageProps;
  return { texts, publicEnv, cookies: res.getHeader('set-cookie'), cacheControl: res.getHeader('cache-control') };
}

const KEPT = [expect.stringMatching(/^lang=es; Max-Age=\d+; Path=\/;/)];

test.each([
  ['lang', { query: { lang: 'es' } }, 'es', KEPT],
  ['lang before the cookie', { query: { lang: 'es-MX' }, cookie: 'lang=en' }, 'es', KEPT],
  ['ui_locales', { query: { ui_locales: 'ko es en' } }, 'es', KEPT],
  ['the cookie before Accept-Language', { cookie: 'a=b; lang=es', acceptLanguage: 'en' }, 'es', undefined],
  ['Accept-Language', { acceptLanguage: 'fr, es;q=0.9, en;q=0.8' }, 'es', undefined],
  ['nothing', {}, 'en', undefined],
  ['an unknown lang', { query: { lang: 'xx' } }, 'en', undefined],
  ['a language that is off', { query: { lang: 'ja' } }, 'en', undefined],
  ['a malformed lang', { query: { lang: '../es' } }, 'en', undefined],
  ['an over-long lang', { query: { lang: `es-${'x-'.repeat(1_000)}x` } }, 'en', undefined],
  ['a repeated lang', { query: { lang: ['es', 'en'] } }, 'en', undefined],
  ['a malformed cookie', { cookie: 'lang=%E0%A4%A; session=1' }, 'en', undefined],
])('a page chosen by %s', async (_name, visit: Visit, language, cookies) => {
  const page = await open(visit);
  expect(page.texts.language).toBe(language);
  expect(page.cookies).toEqual(cookies);
  // A shared cache would send the next visitor a page in this visitor's language.
  expect(page.cacheControl).toBe('private, no-store');
});

test('only the texts of the language are sent, and which others there are', async () => {
  const { texts, publicEnv } = await open({ query: { lang: 'es' } });
  expect(publicEnv.locales).toEqual([
    ['en', 'English'],
    ['es', expect.stringMatching(/^Esp/)],
  ]);
  const own = (await import('@/locales/es/sign-in.json')).default;
  expect(texts.messages['sign-in']).toEqual(own);
  expect(JSON.stringify(texts)).not.toContain('Sign in');
});

test('a path without a page, and a page that failed, answer in the language of the visitor', async () => {
  const lost = visit({ acceptLanguage: 'es' });
  expect(await getUnknownPageProps(lost)).toMatchObject({ props: { texts: { language: 'es' } } });
  expect(lost.res.statusCode).toBe(404);
  expect(lost.res.getHeader('cache-control')).toBe('private, no-store');

  const failing = createPageProps('/sign-in', {}, () => Promise.reject(new Error('no database')));
  const failed = visit({ acceptLanguage: 'es' });
  expect(await failing(failed)).toMatchObject({ props: { texts: { language: 'es' }, unavailable: true } });
  expect(failed.res.statusCode).toBe(500);
});
