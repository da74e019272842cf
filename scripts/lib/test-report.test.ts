import { expect, test } from 'vitest';
import { formatFailures, formatProgress, formatSummary, listUnfinished, recordEvent } from './test-report.mjs';
import type { FileRun, TestEvent } from './test-report.mjs';

function record(...events: TestEvent[]) {
  const files = new Map<string, FileRun>();
  for (const event of events) recordEvent(files, event);
  return files;
}
const passed = { name: 'x', state: 'passed' } as const;

test('a file is unfinished until all its tests have ended, and before their number is known', () => {
  const begun = { file: 'b', planned: 2, test: passed };
  const files = record({ file: 'a', planned: 1, test: passed }, begun, { file: 'c' });
  expect(listUnfinished(files)).toEqual(['b', 'c']);
  expect(formatProgress('unit', files)).toBe('unit: 1 of 3 files, 2 tests');
  recordEvent(files, { file: 'b', test: { name: 'y', state: 'failed' } });
  expect(formatProgress('unit', files)).toBe('unit: 2 of 3 files, 3 tests, 1 failed');
});

test.each([
  [0, [], 'failed\nb: x\n3 passed, 1 failed'],
  [2, [], 'failed\nb: x\n4 skipped\n3 passed, 1 failed'],
  [
    0,
    ['a.test.ts'],
    'left out, since the time was over: 2 files\n  a.test.ts\n  a.test.ts\nfailed\nb: x\n3 passed, 1 failed',
  ],
])(
  'the last line has what passed and failed alone, with %i skipped and %j left out in each step',
  (skipped, leftOut, summary) => {
    const outcomes = [
      { name: 'a', passed: 2, failed: 0, skipped, leftOut, failures: [] },
      { name: 'b', passed: 1, failed: 1, skipped, leftOut, failures: ['x'] },
    ];
    expect(formatSummary(outcomes)).toBe(summary);
  },
);

test('each failed test is named with the first lines of its error, and its screenshots', () => {
  const error = '\u001b[31mexpected 1\u001b[39m\n at y';
  const failed = { name: 'lib/a.test.ts › x', state: 'failed', error, files: ['test-results/x.png'] } as const;
  expect(formatFailures([{ ...failed, files: [...failed.files] }])).toEqual([
    'lib/a.test.ts › x:\n  expected 1\n   at y\n  test-results/x.png',
  ]);
});
