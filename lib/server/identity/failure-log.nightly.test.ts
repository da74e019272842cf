// Threats: dependency-failure
import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

type Line = {
  level: number;
  msg: string;
  kind: string;
  suppressed: number;
  causes: { reason?: string; message: string }[];
};

/** Runs failing calls in a separate process whose output is the log. */
function runAndReadLog(script: string): { lines: Line[]; text: string } {
  const source = `import { loadSource } from './scripts/lib/source-loader.mjs';
    const { callIdentityProvider, providerUnavailable } = loadSource('/lib/server/identity/admin.ts');
    const { getIdentityAdmin } = loadSource('/lib/server/identity/admin.ts');
    const call = (promise) => callIdentityProvider(promise, 'getUser').catch(() => undefined);
    ${script}
    process.exit(0);`;
  const env = { PATH: process.env.PATH, LOG_LEVEL: 'warn', FIREBASE_AUTH_EMULATOR_HOST: '127.0.0.1:9' };
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', source], {
    env: env as unknown as NodeJS.ProcessEnv,
    encoding: 'utf8',
  });
  return {
    lines: stdout
      .trim()
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Line),
    text: stdout,
  };
}

test('an outage is logged at warn, once per kind, with the system error and without secrets', () => {
  const { lines, text } = runAndReadLog(`
    for (let i = 0; i < 3; i += 1) await call(getIdentityAdmin().getUser('someone'));
    await call(fetch('http://127.0.0.1:65534/x'));
    const secret = new Error('refused for ada@campus.test with token=abcdef0123456789');
    await call(Promise.reject(Object.assign(secret, { code: 'auth/internal-error' })));
    await call(Promise.reject(Object.assign(new Error('bad certificate'), { code: 'ERR_TLSV1_ALERT' })));
  `);
  // When a process exits, lines can be out of order.
  const byKind = Object.fromEntries(lines.map((line) => [line.kind, line]));
  expect(lines).toHaveLength(4);
  const failed = { level: 50, msg: 'identity provider failed' };
  expect(byKind).toMatchObject({
    'app/network-error': failed,
    ECONNREFUSED: failed,
    'auth/internal-error': failed,
    ERR_TLSV1_ALERT: failed,
  });
  expect(byKind['app/network-error']?.causes[0]?.message).toContain('ECONNREFUSED');
  expect(JSON.stringify(byKind.ECONNREFUSED)).not.toContain('[redacted]');
  expect(text).not.toMatch(/ada@campus|abcdef0123456789/);
});

test('the next line of a kind comes a minute later, with the number of those in between', () => {
  const { lines } = runAndReadLog(`
    const { logProviderFailure } = loadSource('/lib/server/identity/admin.ts');
    for (const now of [0, 1, 59_999, 60_000]) logProviderFailure(new Error('x'), now);
  `);
  // These lines can also be out of order.
  expect(lines.map(({ suppressed }) => suppressed).toSorted()).toEqual([0, 2]);
});
