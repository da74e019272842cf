// A full disk, a stuck reader or a closed pipe of the log must not stop a process.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';

/** This program writes lines, and responds to each message with the number of lost lines. */
const PROGRAM = `
  const { loadSource } = await import('./scripts/lib/source-loader.mjs');
  const { log } = loadSource('/lib/server/runtime/observability/log.ts');
  const { readMetrics } = loadSource('/lib/server/runtime/observability/metrics.ts');
  process.on('message', async ({ lines, end }) => {
    for (let i = 0; i < lines; i += 1) log().info({ number: i, text: 'x'.repeat(200) }, 'a line');
    await new Promise((resolve) => setTimeout(resolve, 50));
    process.send(Number(/^log_lines_lost_total (\\d+)$/m.exec((await readMetrics()).text)[1]));
    if (end) process.exit(7);
  });
  process.send('ready');`;

/** @param output destination of its lines: a descriptor, or a pipe to this process */
async function start(output: number | 'pipe'): Promise<ChildProcess> {
  const env = { ...process.env, LOG_LEVEL: 'info' };
  const stdio = ['ignore', output, 'inherit', 'ipc'] as const;
  const child = spawn(process.execPath, ['--input-type=module', '-e', PROGRAM], { env, stdio: [...stdio] });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child, 'message');
  return child;
}

async function writeLines(child: ChildProcess, lines: number, end = false): Promise<number> {
  child.send({ lines, end });
  const [lost] = (await once(child, 'message')) as [number];
  return lost;
}

test('a full disk costs lines, which are counted, and no process', async () => {
  const child = await start(openSync('/dev/full', 'w'));
  await expect.poll(() => writeLines(child, 10)).toBeGreaterThanOrEqual(10);
  const exited = once(child, 'exit');
  await writeLines(child, 10, true);
  expect(await exited).toEqual([7, null]);
});

test('a process goes on while the reader of its output is stuck, and its next lines are whole', async () => {
  const child = await start('pipe');
  // Write until the pipe and the process's buffer are full.
  for (let before = 0, lost = 0; lost < before + 1_000;) {
    before = lost;
    lost = await writeLines(child, 1_000);
  }
  const { stdout } = child;
  if (stdout === null) throw new Error('no pipe');
  const output = text(stdout);
  await expect.poll(async () => (await writeLines(child, 1)) === (await writeLines(child, 1))).toBe(true);
  await writeLines(child, 1, true);
  const lines = (await output).trim().split('\n');
  expect(lines.length).toBeGreaterThan(4_000);
  for (const line of lines) expect(JSON.parse(line)).toMatchObject({ msg: 'a line' });
});

test('a reader that is gone costs lines, and no process', async () => {
  const child = await start('pipe');
  child.stdout?.destroy();
  await expect.poll(() => writeLines(child, 10)).toBeGreaterThan(10);
  const exited = once(child, 'exit');
  await writeLines(child, 10, true);
  expect(await exited).toEqual([7, null]);
});

test('the last lines before an exit are written, in order and once', async () => {
  const child = await start('pipe');
  const { stdout } = child;
  if (stdout === null) throw new Error('no pipe');
  const output = text(stdout);
  for (let i = 0; i < 3; i += 1) await writeLines(child, 200);
  await writeLines(child, 200, true);
  const numbers = (await output)
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { number: number }).number);
  expect(numbers).toEqual(Array.from({ length: 800 }, (_, i) => i % 200));
});
