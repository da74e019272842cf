import { expect, it } from 'vitest';
import { keepEarlyErrors } from '@/lib/browser/error-reporting/early-errors';
import { connectErrorSink } from './report';

it('buffers errors of our own scripts until the service has loaded, and no others', () => {
  const ours = `${window.location.origin}/_next/static/chunks/a.js`;
  const fail = (filename: string, message: string) =>
    window.dispatchEvent(new ErrorEvent('error', { filename, error: new Error(message) }));
  const reject = (reason: unknown) => window.dispatchEvent(Object.assign(new Event('unhandledrejection'), { reason }));
  const stop = keepEarlyErrors(window);

  fail(ours, 'ours');
  fail('chrome-extension://abc/a.js', 'an extension');
  fail(`${window.location.origin}.evil.test/a.js`, 'a lookalike');
  reject(Object.assign(new Error('our rejection'), { stack: `Error\n at ${ours}:1` }));
  reject(Object.assign(new Error('another rejection'), { stack: 'Error\n at chrome-extension://abc/a.js:1' }));
  reject('a text');
  stop();
  fail(ours, 'after');

  const kept: string[] = [];
  connectErrorSink(({ error }) => kept.push((error as Error).message));
  expect(kept).toEqual(['ours', 'our rejection']);
});
