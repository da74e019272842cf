import { expect, it } from 'vitest';
import { envelopeAddress, isSameProject, parseDsn, publicDsn } from './dsn';

it.each([
  ['https://key@o1.ingest.errors.example/42', 'https://o1.ingest.errors.example/api/42/envelope/'],
  ['http://key@127.0.0.1:9000/7', 'http://127.0.0.1:9000/api/7/envelope/'],
  ['https://key@errors.example/behind/a/path/7', 'https://errors.example/behind/a/path/api/7/envelope/'],
])('%s takes its envelopes at %s', (text, address) => {
  const dsn = parseDsn(text);
  if (!dsn) throw new Error('no DSN');
  expect(envelopeAddress(dsn).href).toBe(`${address}?sentry_key=key&sentry_version=7`);
});

it('shows nobody the secret of an old DSN, and knows it for the same project', () => {
  const old = 'https://key:SeCrEt@errors.example:9000/a/1';
  expect(publicDsn(old)).toBe('https://key@errors.example:9000/a/1');
  expect([parseDsn(old), parseDsn(publicDsn(old))].map((dsn) => dsn && isSameProject(dsn, dsn))).toEqual([true, true]);
  expect(parseDsn(old)).toEqual(parseDsn(publicDsn(old)));
});

it.each(['', 'key', 'https://errors.example/1', 'https://key@errors.example/', 'ftp://key@errors.example/1', 7, null])(
  '%s is no DSN',
  (text) => expect(parseDsn(text)).toBeNull(),
);
