// ASVS: 7.2.1
// Threats: revoked-browser
import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { root } from '../../scripts/lib/paths.mjs';

/** Lists files of the product, without tests, in which a pattern occurs. */
function findFiles(pattern: string): string[] {
  const files = ['cli', 'lib', 'pages', 'middleware.ts', 'instrumentation.ts', ':!*.test.ts', ':!*.test.tsx'];
  try {
    const found = execFileSync('git', ['grep', '-lP', '--untracked', pattern, '--', ...files], {
      cwd: root,
      encoding: 'utf8',
    });
    return found.trim().split('\n');
  } catch {
    return [];
  }
}

const GATE = 'lib/server/session/open-session.ts';

// A cookie that is created elsewhere would bypass the account policy, the records and the list of devices
// (docs/adr/0027).
test('only the gate makes session cookies at the identity provider', () => {
  expect(findFiles(String.raw`\.createSessionCookie\(`)).toEqual([GATE]);
});

test('only the gate builds the cookies of a session', () => {
  expect(findFiles(String.raw`\bbuildSessionCookies\b`)).toEqual(['lib/server/session/cookies.ts', GATE]);
});

// The type of `buildSetCookie` excludes the session cookie. This test finds code that evades the type by a cast or by
// the name.
test('nothing else sets the session cookie', () => {
  expect(findFiles(String.raw`\bas SessionCookie\b`)).toEqual([GATE]);
  expect(findFiles('_secure-user-session')).toEqual(['lib/shared/cookie-table.ts']);
});

test('a Set-Cookie value is formatted by the table of cookies, or for the other deployment', () => {
  expect(findFiles(String.raw`stringifySetCookie\(`)).toEqual([
    'lib/server/http/cookies.ts',
    'lib/server/session/upstream.ts',
  ]);
});

test('a cookie of this host alone is read by the name that no other host can set', () => {
  expect(findFiles(String.raw`cookieTable\.(?:pendingSignIn|factorReset|device)\.name`)).toEqual([]);
});

test('only the backend opens sessions', () => {
  expect(findFiles(String.raw`from '(?:\./|@/lib/server/session/|\.\./session/)open-session'`)).toEqual([
    'lib/server/session/firebase.ts',
  ]);
});
