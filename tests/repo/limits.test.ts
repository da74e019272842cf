// ASVS: 6.1.1
// Threats: flooding
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { allApiFiles } from '../../scripts/lib/api-files.mjs';
import { root } from '../../scripts/lib/paths.mjs';

const SIGN_IN = 'opens a session or continues a sign-in: a known browser goes on beyond the limit';
const EMAIL = 'sends an email: the limit protects mailboxes';
const CODE = 'takes a code that can be guessed, or a code of the identity provider that only the provider can verify';
const READS = 'reads, and grants or changes nothing';
const OPERATORS = 'is for operators, or reports of browsers';

/**
 * Calls that no session and no link of ours authorizes. All others are counted by what they present: a neighbor must not use
 * up what an owner needs to sign out, to end sessions, to answer "This wasn't me" or to cancel a change.
 */
const BY_CLIENT_ADDRESS: Record<string, string> = {
  '/api/create-user-session': SIGN_IN,
  '/api/passkeys/sign-in': SIGN_IN,
  '/api/passkeys/sign-in-options': SIGN_IN,
  '/api/second-factor/sign-in': SIGN_IN,
  '/api/account/first-password': SIGN_IN,
  '/api/mobile/token': SIGN_IN,
  '/api/registration': EMAIL,
  '/api/registration/resend': EMAIL,
  '/api/email-confirmation': EMAIL,
  '/api/email-link': EMAIL,
  '/api/password-reset': EMAIL,
  '/api/password-reset/resend': EMAIL,
  '/api/sign-in-help': EMAIL,
  '/api/second-factor/reset-code': EMAIL,
  '/api/registration/confirm': CODE,
  '/api/email-link/confirm': CODE,
  '/api/password-reset/confirm': CODE,
  '/api/second-factor/reset': CODE,
  '/api/actions/sign-in': CODE,
  '/api/actions/reset-password': CODE,
  '/api/actions/verify-email': CODE,
  '/api/enterprise/lookup': READS,
  '/api/check-auth-status': READS,
  '/api/passkeys': READS,
  '/api/config/by-origin/[origin]': READS,
  '/api/config/local': READS,
  '/api/apple-app-site-association': READS,
  '/api/asset-links': READS,
  '/api/related-origins': READS,
  '/api/security-txt': READS,
  '/api/[...unknown]': READS,
  '/api/auth-helper/[...path]': SIGN_IN,
  '/api/oidc/[...path]': SIGN_IN,
  '/api/health/live': OPERATORS,
  '/api/health/ready': OPERATORS,
  '/api/metrics': OPERATORS,
  '/api/admin/get-sentry-json-file': OPERATORS,
  '/api/admin/accounts': OPERATORS,
  '/api/admin/accounts/actions': OPERATORS,
  '/api/monitoring': OPERATORS,
  '/api/csp-report': OPERATORS,
};

const readRoute = (file: string) => readFileSync(path.join(root, file), 'utf8');
const isCountedByCaller = (text: string) => /\blimit: by(?:Session|Link)\(/.test(text);

test('every call that a session or a link authorizes is counted by it', () => {
  const byAddress = allApiFiles().filter(({ file }) => !isCountedByCaller(readRoute(file)));
  expect(byAddress.map(({ route }) => route).sort()).toEqual(Object.keys(BY_CLIENT_ADDRESS).sort());
});

test('a call that requires a session is counted by it, also one that changes nothing', () => {
  const requiring = allApiFiles().filter(({ file }) =>
    /\brequire(?:Own|OwnRecent)?Session(?:Now)?\(/.test(readRoute(file)),
  );
  expect(requiring.length).toBeGreaterThan(20);
  expect(requiring.filter(({ file }) => !isCountedByCaller(readRoute(file))).map(({ route }) => route)).toEqual([]);
});

test('nothing else refuses a client address', () => {
  const found = execFileSync(
    'git',
    ['grep', '-nP', '--untracked', String.raw`consumeLimit\([^)]*getClientAddress`, '--', 'lib', 'pages'],
    {
      cwd: root,
      encoding: 'utf8',
    },
  );
  const files = found
    .trim()
    .split('\n')
    .map((line) => line.split(':')[0]);
  expect(files.sort()).toEqual([
    'lib/server/http/proof-of-work.ts',
    'lib/server/identity/auth-helper.ts',
    'lib/server/oidc/handler.ts',
    'lib/server/session/watch-sign-in.ts',
    'lib/server/web/action-step.ts',
    'pages/api/[...unknown].ts',
  ]);
});
