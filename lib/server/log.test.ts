import { expect, test } from 'vitest';
import { createLog } from './log';

function capture() {
  const lines: string[] = [];
  return { lines, log: createLog('info', { write: (line) => void lines.push(line) }) };
}

test('no secret is written, in the message, the entry, or an error of it', () => {
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

test('what helps is', () => {
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
