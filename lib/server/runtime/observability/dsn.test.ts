import { expect, it, vi } from 'vitest';
import { envelopeUrl, getPublicDsn } from '../config/schema';

it.each([
  ['https://key@o1.ingest.errors.example/42', 'https://o1.ingest.errors.example/api/42/envelope/'],
  ['http://key@127.0.0.1:9000/7', 'http://127.0.0.1:9000/api/7/envelope/'],
  ['https://key@errors.example/behind/a/path/7', 'https://errors.example/behind/a/path/api/7/envelope/'],
])('%s has the envelope endpoint %s', (text, address) => {
  const url = new URL(envelopeUrl(text) ?? '');
  expect(url.origin + url.pathname).toBe(address);
  expect(Object.fromEntries(url.searchParams)).toEqual({ sentry_key: 'key', sentry_version: '7' });
});

it('drops the secret of an old DSN', () => {
  expect(getPublicDsn('https://key:SeCrEt@errors.example:9000/a/1')).toBe('https://key@errors.example:9000/a/1');
  expect(getPublicDsn('https://key:se-cret@errors.example/1')).toBe('https://key@errors.example/1');
});

it.each(['', 'key', 'https://errors.example/1', 'https://key@errors.example/', 'ftp://key@errors.example/1'])(
  '%s is no DSN',
  (text) => {
    vi.spyOn(console, 'error').mockReturnValue();
    expect([getPublicDsn(text), envelopeUrl(text)]).toEqual([null, null]);
  },
);
