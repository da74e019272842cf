import { format } from 'node:util';
import { expect, test, it } from 'vitest';
import { MAX_TEXT_LENGTH } from '@/lib/shared/redaction/redact';
import { RecordsError } from '@/lib/server/storage/records/errors';
import { findConflicts } from '../config/env';
import { createLog, escapeControls, escapeLines } from './log';

function capture() {
  const lines: string[] = [];
  return { lines, log: createLog('info', { write: (line) => void lines.push(line) }) };
}

test('no secret is logged in the message, the fields or an error', () => {
  const { lines, log } = capture();
  log.error(
    {
      err: new Error('failed for SeCrEt1@campus.test', { cause: new Error('token=SeCrEt1') }),
      deep: { oobCode: 'SeCrEt1' },
    },
    'opened /actions?oobCode=SeCrEt1',
  );
  log.info('cookie: a=SeCrEt1');
  expect(lines.join('')).not.toContain('SeCrEt1');
});

test('harmless fields are logged', () => {
  const { lines, log } = capture();
  log.error({ err: new TypeError('x is not a function'), path: '/api/check-auth-status' }, 'unexpected error');
  const entry = JSON.parse(lines.join('')) as { err: { stack: string } };
  expect(entry).toMatchObject({
    level: 50,
    msg: 'unexpected error',
    path: '/api/check-auth-status',
    err: { name: 'TypeError', message: 'x is not a function' },
  });
  expect(entry.err.stack).toContain('log.test.ts');
});

test('long texts are cut', () => {
  const { lines, log } = capture();
  log.info({ text: 'a '.repeat(100_000), err: new Error('b '.repeat(100_000)) }, 'c '.repeat(100_000));
  expect(lines.join('').length).toBeLessThan(5 * MAX_TEXT_LENGTH.log);
});

test('the code of an error is logged', () => {
  const { lines, log } = capture();
  log.error({ err: Object.assign(new Error('refused'), { code: 'ECONNREFUSED', token: 'SeCrEt1' }) }, 'failed');
  log.error({ err: Object.assign(new Error('refused'), { code: 'auth/user-disabled' }) }, 'failed');
  log.error({ err: Object.assign(new Error('refused'), { code: 'SeCrEt1' }), result: 'email-not-verified' }, 'failed');
  expect(lines[0]).toContain('"code":"ECONNREFUSED"');
  expect(lines[1]).toContain('"code":"auth/user-disabled"');
  expect(lines[2]).toContain('"result":"email-not-verified"');
  expect(lines.join('')).not.toContain('SeCrEt1');
});

test('the code of a failed query is logged, and of a system error in what a library prints', () => {
  const { lines, log } = capture();
  for (const code of ['42P01', '25006']) log.error({ err: new RecordsError(code) }, 'failed');
  log.error(format(Object.assign(new Error('listen EADDRINUSE: address already in use'), { code: 'EADDRINUSE' })));
  log.error(JSON.stringify({ code: 'ECONNREFUSED', port: 5432 }));
  expect(lines[0]).toContain('"code":"42P01"');
  expect(lines[1]).toContain('"code":"25006"');
  expect(lines[2]).toContain("code: 'EADDRINUSE'");
  expect((JSON.parse(lines[3] ?? '') as { msg: string }).msg).toBe('{"code":"ECONNREFUSED","port":5432}');
});

test('no other code is logged: neither of another error, nor in capital letters, nor under another name', () => {
  const { lines, log } = capture();
  log.error({ err: Object.assign(new Error('refused'), { code: '42P01' }) }, 'failed');
  log.error({ err: new RecordsError('SeCrEt1') }, 'failed');
  log.error("code: 'EXAMPLE' code=EADDRINUSEx code=EADDRINUSE-42P01 password=EPERM token: 'EPIPE' user_code: 'ENOENT'");
  expect(lines.join('')).not.toMatch(/"code":"(?!\[redacted\])|EXAMPLE|EADDRINUSE|EPERM|EPIPE|ENOENT/);
});

test('what the start says about a missing key is readable', () => {
  const { lines, log } = capture();
  const problems = findConflicts({
    FIREBASE_CREDENTIALS: 'service-account',
    SESSION_BACKEND: 'firebase',
    FIREBASE_AUTH_EMULATOR_HOST: undefined,
    FIREBASE_PRIVATE_KEY: undefined,
    NEXT_PUBLIC_APP_ORIGIN: 'https://id.campus.example',
    DATABASE_URL: undefined,
  });
  expect(problems.length).toBeGreaterThan(1);
  // As lib/server/launch/index.ts splits them.
  for (const problem of problems) log.error({ problem: problem.split(': ').slice(1).join(': ') }, 'unusable');
  expect(lines.join('')).not.toContain('[redacted]');
  expect(lines.join('')).toContain('FIREBASE_CREDENTIALS is application-default');
});

it.each([
  ['\u001b[31m red\u0007', '\\u001b[31m red\\u0007'],
  ['a\nb\tc\r', 'a\\u000ab\\u0009c\\u000d'],
  ['\u009b2J\u007f', '\\u009b2J\\u007f'],
  ['\u202egnp.exe\u2028', '\\u202egnp.exe\\u2028'],
  ['\u{e0001}', '\\u{e0001}'],
  ['https://zoë.example/?a=1 日本', 'https://zoë.example/?a=1 日本'],
])('escapes %j', (text, escaped) => {
  expect(escapeControls(text)).toBe(escaped);
});

it('leaves line feeds between lines', () => {
  expect(escapeLines('a\u001b\nb')).toBe('a\\u001b\nb');
});
