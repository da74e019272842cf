import { expect, test } from 'vitest';
import { readMetrics } from '@/lib/server/runtime/observability/metrics';
import { servedRoutes } from '../support/served-routes';

const app = servedRoutes();

const report = (type: string, body: unknown) =>
  fetch(`${app.origin}/api/csp-report`, {
    method: 'POST',
    headers: { 'content-type': type },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

test('violations are counted by directive, in both formats that browsers send', async () => {
  const old = { 'csp-report': { 'effective-directive': 'script-src-elem', 'blocked-uri': 'inline' } };
  expect((await report('application/csp-report', old)).status).toBe(200);
  const body = { effectiveDirective: 'img-src', blockedURL: 'https://evil.test/x?secret=1' };
  expect((await report('application/reports+json', [{ type: 'csp-violation', body }, { type: 'other' }])).status).toBe(
    200,
  );
  const made = { 'csp-report': { 'effective-directive': 'made-up', 'blocked-uri': 'x' } };
  expect((await report('application/csp-report', made)).status).toBe(200);
  const { text } = await readMetrics();
  expect(
    [...text.matchAll(/^csp_violations_total\{directive="([\w-]+)"\} 1$/gm)].map(([, name]) => name).sort(),
  ).toEqual(['default-src', 'img-src', 'script-src-elem']);
});

test.each([
  ['text/plain', '{}', 415],
  ['application/csp-report', '{', 400],
  ['application/csp-report', '[1]', 400],
  ['application/reports+json', 'x'.repeat(20_000), 413],
])('any other content is refused: %s', async (type, body, status) => {
  expect((await report(type, body)).status).toBe(status);
});
