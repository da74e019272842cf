import { mkdtempSync, openSync, readFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { LogOutput } from './log-output';

it('writes at the exit what waits, and what is logged after that, once and at once', () => {
  const file = path.join(mkdtempSync(path.join(os.tmpdir(), 'log-output-')), 'log');
  const output = new LogOutput(openSync(file, 'a'));
  output.writeRest();
  output.write('stopped\n');
  output.write('last\n');
  expect(readFileSync(file, 'utf8')).toBe('stopped\nlast\n');
});

it('writes once what the system is writing when the exit begins', async () => {
  const file = path.join(mkdtempSync(path.join(os.tmpdir(), 'log-output-')), 'log');
  const output = new LogOutput(openSync(file, 'a'));
  for (const line of ['first\n', 'second\n']) output.write(line);
  output.writeRest();
  output.write('stopped\n');
  const read = () => readFileSync(file, 'utf8').split('\n').toSorted().join(' ').trim();
  await expect.poll(read).toBe('first second stopped');
});
