import { describe, expect, test } from 'vitest';
import { getPlaywrightRemarks, getVitestFailures } from './test-remarks.mjs';

const failed = {
  title: 'x',
  fullName: 'group x',
  status: 'failed',
  failureMessages: ['\u001b[31mexpected 1\u001b[39m\n at y'],
};
const passed = { ...failed, status: 'passed', failureMessages: [] };

describe('the remarks of a run', () => {
  test('names each failed test with the first line of its error', () => {
    const file = { name: '/root/lib/a.test.ts', status: 'failed', message: '', assertionResults: [failed, passed] };
    expect(getVitestFailures({ testResults: [file] }, '/root')).toEqual([
      'failed: lib/a.test.ts › group x: expected 1',
    ]);
  });

  test('names a file that could not be run', () => {
    const file = {
      name: '/root/lib/a.test.ts',
      status: 'failed',
      message: 'No such module\n at z',
      assertionResults: [],
    };
    expect(getVitestFailures({ testResults: [file] }, '/root')).toEqual(['failed: lib/a.test.ts: No such module']);
  });

  test('names browser tests that failed or needed a second try, in nested groups too', () => {
    const spec = (title: string, status: string) => ({
      title,
      line: 7,
      tests: [{ status, results: [{ error: { message: 'Timed out\nmore' } }, {}] }],
    });
    const inner = { file: 'a.spec.ts', specs: [spec('inner', 'flaky')] };
    const outer = {
      file: 'a.spec.ts',
      specs: [spec('fails', 'unexpected'), spec('holds', 'expected')],
      suites: [inner],
    };
    expect(getPlaywrightRemarks({ suites: [outer], errors: [{ message: 'No browser' }] })).toEqual([
      'failed: No browser',
      'failed: a.spec.ts:7 fails: Timed out',
      'passed at the second try: a.spec.ts:7 inner: Timed out',
    ]);
  });
});
