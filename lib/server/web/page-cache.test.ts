// Threats: cache-poisoning
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { GetServerSidePropsContext } from 'next';
import { beforeAll, expect, test } from 'vitest';
import { createPageProps, SHARED_CACHE_CONTROL, type PageProps } from './page';

beforeAll(() => {
  process.env.FIREBASE_AUTH_EMULATOR_HOST = 'localhost:9';
  process.env.LOCALES = 'en,es,pt-BR';
  process.env.LANGUAGE_HEADER = 'x-language';
});

type Visit = { query?: Record<string, string>; headers?: Record<string, string>; loaded?: object };

async function open({ query = {}, headers = {}, loaded }: Visit) {
  const req = Object.assign(new IncomingMessage(new Socket()), { cookies: {} });
  Object.assign(req.headers, { host: 'localhost:3000', ...headers });
  const res = new ServerResponse(req);
  const context: GetServerSidePropsContext = { req, res, query, resolvedUrl: '/forget-password' };
  const load = () => Promise.resolve(loaded ? { props: { ...loaded } } : null);
  const result = await createPageProps('/forget-password', {}, load)(context);
  if (!('props' in result)) throw new Error('no page');
  const { texts } = (await result.props) as PageProps;
  const cacheControl = res.getHeader('cache-control');
  return { language: texts.language, isStored: cacheControl === SHARED_CACHE_CONTROL, vary: res.getHeader('vary') };
}

test.each([
  ['its language', { 'x-language': 'es' }, 'es'],
  ['the first part of one', { 'x-language': 'pt' }, 'pt-BR'],
  ['a language that is off', { 'x-language': 'ja' }, 'en'],
  ['that there is none', { 'x-language': 'default' }, 'en'],
  ['another language than the cookie', { 'x-language': 'es', cookie: 'lang=en', 'accept-language': 'pt' }, 'es'],
])('caches store a page by the language that the proxy names: %s', async (_case, headers, language) => {
  expect(await open({ headers })).toEqual({ language, isStored: true, vary: 'x-language' });
});

test.each([
  ['without the header of the proxy', { headers: { cookie: 'lang=es' } }, 'es'],
  ['that the address names a language for', { headers: { 'x-language': 'en', 'x-page-query': '?lang=es' } }, 'es'],
  [
    'with a message of what has just happened',
    { headers: { 'x-language': 'es', 'x-page-query': '?notification=SignedOut' } },
    'es',
  ],
  ['that is rendered with its query', { headers: { 'x-language': 'es' }, query: { theme: 'dark' } }, 'es'],
  ['with personal data', { headers: { 'x-language': 'es' }, loaded: { name: 'Lena' } }, 'es'],
])('no cache stores a page %s', async (_case, visit: Visit, language) => {
  expect(await open(visit)).toMatchObject({ language, isStored: false });
});
