import { mkdtempSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, test, vi } from 'vitest';
import { EVENTS_FILE, readEvents, recordEvent } from './test-events.mjs';
import { formatSlowest, showProgress } from './test-progress.mjs';

const dir = mkdtempSync(path.join(os.tmpdir(), 'progress-'));
const getFile = (name: string) => path.join(dir, name);

test('events add up to the tests of a step, a retry in place of the first attempt', () => {
  const file = getFile('events');
  vi.stubEnv(EVENTS_FILE, file);
  recordEvent({ files: 2 });
  recordEvent({ file: 'a', planned: 2 });
  recordEvent({ id: '1', name: 'a › one', ms: 5 });
  recordEvent({ id: '1', name: 'a › one', ms: 7 });
  expect(readEvents(file)).toMatchObject({ total: 2, isComplete: false });
  recordEvent({ file: 'b', planned: 1 });
  vi.unstubAllEnvs();
  expect(readEvents(file)).toEqual({
    total: 3,
    isComplete: true,
    tests: new Map([['1', { id: '1', name: 'a › one', ms: 7 }]]),
  });
});

test('a line that is still being written is not read', () => {
  const file = getFile('half');
  writeFileSync(file, '{"files":1}\n{"file":"a","pla');
  expect(readEvents(file)).toMatchObject({ total: 0, isComplete: false });
});

test('the ten slowest tests are named with their step', () => {
  const tests = Array.from({ length: 12 }, (_, i) => ({ step: 'unit', name: `test ${i}`, ms: i * 100 }));
  const lines = formatSlowest(tests);
  expect(lines).toHaveLength(10);
  expect(lines[0]).toBe('    1.1 s  unit        test 11');
});

test('outside a terminal, a line every 30 s reports the progress', () => {
  vi.useFakeTimers();
  const lines: string[] = [];
  const out = { isTTY: false, columns: 80, write: (text: string) => lines.push(text) > 0 };
  const check = { hasTests: false, eventsFile: getFile('none') };
  const progress = showProgress(
    [
      { name: 'lint', seconds: 100, ...check },
      { name: 'types', seconds: 300, ...check },
    ],
    out,
  );
  progress.begin('lint');
  vi.advanceTimersByTime(30_000);
  progress.end('lint');
  vi.advanceTimersByTime(30_000);
  progress.begin('types');
  vi.advanceTimersByTime(30_000);
  progress.stop();
  vi.advanceTimersByTime(60_000);
  vi.useRealTimers();
  expect(lines).toEqual([
    '0/2 tests, running: lint\n',
    '1/2 tests, about 3 min left\n',
    '1/2 tests, about 5 min left, running: types\n',
  ]);
});
