import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

// Limits of real time are longer in tests (lib/shared/time-limit.ts). The linter finds `AbortSignal.timeout`. This
// pattern finds options of libraries.
const OPTION =
  /\b(?:connectTimeout|commandTimeout|socketTimeout|connectionTimeout(?:Millis)?|greetingTimeout|dnsTimeout|query_timeout): [A-Z0-9]\w*/g;
const WAIT = /\bsetTimeout\((?:resolve|done), [A-Z_]+_(?:TIMEOUT|WAIT)_MS\b/g;
const STATEMENT = /\b(?:statement|lock|transaction_session)_timeout = \$\{String\((?!timeLimit)/g;

test('each limit that a library or a statement gets goes through timeLimit', () => {
  const files = execFileSync('git', ['ls-files', '--', 'lib', 'cli', 'components'], { encoding: 'utf8' })
    .split('\n')
    .filter((file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$/.test(file));
  const found = files.flatMap((file) => {
    const text = readFileSync(file, 'utf8');
    return [OPTION, WAIT, STATEMENT].flatMap((kind) => (text.match(kind) ?? []).map((match) => `${file}: ${match}`));
  });
  expect(files.length).toBeGreaterThan(300);
  expect(found).toEqual([]);
});
