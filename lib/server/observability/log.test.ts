import { expect, test } from 'vitest';
import { MAX_TEXT_LENGTH } from '@/lib/shared/redaction/redact';
import { createLog } from './log';

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
