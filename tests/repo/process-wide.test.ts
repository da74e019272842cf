import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/** Matches a call with its name: a plain string, or a template with a distinct beginning. */
const CALL = /\bprocessWide(?:<[^(]*>)?\(\s*(?:'([^']+)'|`([^`]+)`)?/g;

const files = execFileSync('git', ['ls-files', '--', '*.ts', '*.tsx'], { encoding: 'utf8' })
  .split('\n')
  .filter((file) => /^(?:lib|pages|components|instrumentation)/.test(file) && !/\.test\.tsx?$/.test(file));

const calls = files.flatMap((file) =>
  [...readFileSync(file, 'utf8').matchAll(CALL)]
    .map(([, plain, template]) => ({ file, name: plain ?? template }))
    .filter(() => file !== 'lib/server/runtime/process.ts'),
);

/** Why the bundles of a process must share each value. A value that each bundle can have is a variable of its module. */
const REASONS: Record<string, string> = {
  'account-changes': 'a page must not trust what it read before the change of an API route',
  'account-turns': 'changes of an account take turns, whatever began them',
  'account-writes': 'writes about an account take turns, so that few hold a connection',
  'behind-response': 'the end of the process waits for the work of API routes',
  'check-listener': '`next dev` starts twice in a process, and the port is free once',
  'dependency-states': 'the metrics show the calls of every bundle',
  directory: 'a file is read, and its problems are reported, once',
  'email-contents': 'the transport that writes it is shared',
  'email-deliveries': 'they wait for the connections of the shared transport',
  'email-transport': 'the mail server limits connections',
  ending: 'the signal arrives in one bundle, and another answers that the process is not ready',
  'failures:${service}': 'a failure that repeats is one line of the log',
  'file:${variable}': 'a file is read, and its problems are reported, once',
  'find-released-file': 'the listener is another program than the database',
  'jobs-done': 'what an API route has sent must not be sent again by the next round',
  'late-session-writes': 'their number is limited in the process',
  'limit:${name}': 'without Redis, the process counts',
  'log-output': 'lines must not mix',
  metrics: 'one answer has the counts of every bundle',
  'origins-file': 'a file is read, and its problems are reported, once',
  'provider-clock': 'the clock is known from the calls of every bundle',
  records: 'the embedded database opens once, and the connections are limited',
  'records-outage': 'an outage is reported once',
  redis: 'one connection',
  'redis-outage': 'an outage is reported once',
  'request-context': 'the log of every bundle names the request',
  rounds: 'API routes want a round, and the start of the app runs it',
  'session-states': 'a session that one bundle has checked is known to the other',
  'session-uses': 'a use is recorded once',
  startup: 'the start is another bundle than the readiness check',
  store: 'without Redis, the process remembers',
  'upstream-configs': 'the identity host is asked once',
};

test('each value of the process has a reason to be one', () => {
  expect(calls.map(({ name }) => name ?? '').toSorted()).toEqual(Object.keys(REASONS).toSorted());
});

test('no two values of the process have one name: the second would be the first, of another type', () => {
  const names = calls.map(({ name }) => name);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});

test('what a name is built from cannot make another one', () => {
  const names = calls.flatMap(({ name }) => name ?? []);
  const prefixes = names.filter((name) => name.includes('${')).map((name) => name.slice(0, name.indexOf('$')));
  expect(prefixes).not.toEqual([]);
  for (const prefix of prefixes) {
    expect(prefix).toMatch(/^[a-z-]+:$/);
    expect(names.filter((name) => name.startsWith(prefix))).toHaveLength(1);
  }
});
