// Threats: operator-token-abused
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { reachedFiles } from '../support/reached-files';
import { productFiles } from '../support/text-keys';

const SUPPORT = ['lib/server/support', 'pages/api/admin'];
const files = SUPPORT.flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .map((file) => path.join(folder, file)),
);

/** Functions that set a password, make or read a code or link, or open a session. */
const FORBIDDEN =
  /\b(?:mint\w+|openSession\w*|create(?:SignIn|Reset)Link|seal\w+|issue\w+|redeem\w+|read\w*Code|inspect\w+|\w*[pP]assword(?:ByLink|ByCode)|changePassword|setFirstPassword|idTokenBy\w+|signIn\w*|getTransportOptions|buildSet\w*Cookie)\(/g;

test('no call of support sets a password, reads a code or a link, or opens a session', () => {
  const found = files.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(FORBIDDEN)].map(([call]) => `${file}: ${call}`),
  );
  expect(found).toEqual([]);
  expect(files).toContain('lib/server/support/act.ts');
});

test('the pattern finds such calls where they are made', () => {
  const calls = [
    'lib/server/accounts/recovery.ts',
    'lib/server/session/mobile.ts',
    'lib/server/accounts/own-account.ts',
  ];
  for (const file of calls) expect(readFileSync(file, 'utf8').match(FORBIDDEN), file).not.toBeNull();
});

test('no page of a learner contains the desk', () => {
  const sources = productFiles();
  const naming = [...sources].filter(
    ([file, source]) =>
      !file.startsWith('components/support-desk/') && /support-desk\/|browser\/support\//.test(source),
  );
  expect(naming.map(([file]) => file)).toEqual(['pages/[...unknown].tsx']);
  expect(sources.get('pages/[...unknown].tsx')).toContain(
    "lazy(() => import('@/components/support-desk/desk-screen'))",
  );
});

test('the desk shares no module that would make scripts of learners longer', () => {
  const sources = productFiles();
  const reached = [...reachedFiles('components/support-desk/desk-screen.tsx', sources)];
  for (const file of [
    'lib/shared/problem.ts',
    'lib/shared/request-headers.ts',
    'lib/browser/dates.ts',
    'lib/browser/api-client.ts',
  ])
    expect(reached).not.toContain(file);
  expect(reached).toContain('lib/browser/support/desk-client.ts');
});

test('only calls of the support desk take a token of an operator', () => {
  const routes = readdirSync('pages/api', { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .filter((file) => readFileSync(path.join('pages/api', file), 'utf8').includes('requireOperator('));
  expect(routes.toSorted()).toEqual(['admin/accounts.ts', 'admin/accounts/actions.ts']);
});
