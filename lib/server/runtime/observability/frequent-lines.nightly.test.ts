import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';

const PROGRAM = `
  const { loadSource } = await import('./scripts/lib/source-loader.mjs');
  const { logResponse } = loadSource('/lib/server/runtime/observability/log.ts');
  const entry = { method: 'POST', route: '/api/check-auth-status', status: 200, result: 'ok', ms: 0.1 };
  const refused = { ...entry, status: 401, result: 'session-required' };
  for (let i = 0; i < 150; i += 1) logResponse(entry, true);
  for (let i = 0; i < 150; i += 1) logResponse(refused, true);
  for (let i = 0; i < 150; i += 1) logResponse({ ...entry, route: '/api/health/live' });
  await new Promise((resolve) => setTimeout(resolve, 1100));
  logResponse(entry, true);
  logResponse(entry, true);`;

it('logs the first 100 successes of a second of a frequent route, tells how many followed, and logs each refusal', () => {
  const env = { ...process.env, LOG_LEVEL: 'info' };
  const output = execFileSync(process.execPath, ['--input-type=module', '-e', PROGRAM], { env, encoding: 'utf8' });
  const lines = output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { route: string; result: string; notLogged?: number });
  const count = (route: string, result: string) =>
    lines.filter((line) => line.route === route && line.result === result).length;
  expect(count('/api/check-auth-status', 'ok')).toBe(102);
  expect(count('/api/check-auth-status', 'session-required')).toBe(150);
  expect(count('/api/health/live', 'ok')).toBe(150);
  expect(lines.slice(-2).map(({ notLogged }) => notLogged)).toEqual([50, undefined]);
});
