// Threats: deployment-interruption
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect, it } from 'vitest';

/** A program with a listener like the framework's, which drains and exits. */
const PROGRAM = `
  process.on('SIGTERM', () => { console.log('framework drains'); setTimeout(() => process.exit(143), 500); });
  const { loadSource } = await import('./scripts/lib/source-loader.mjs');
  loadSource('/lib/server/runtime/observability/shutdown.ts').shutDownOnSignal(60, {
    closeListener: async () => {
      console.log('listener drains');
      await new Promise((resolve) => setTimeout(resolve, 1000));
      console.log('listener is closed');
    },
    finish: async () => {
      await new Promise((resolve) => setTimeout(resolve, 200));
      console.log('work ends');
    },
  });
  setInterval(() => {}, 1000);
  console.log('listening');`;

it.each(['SIGTERM', 'SIGHUP'] as const)('%s drains the process, and a second one ends the delay', async (signal) => {
  const env = { ...process.env, LOG_LEVEL: 'info' };
  const child = spawn(process.execPath, ['--input-type=module', '-e', PROGRAM], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  // The log is written separately from other output, so each has its own order.
  const [said, logged]: [string[], string[]] = [[], []];
  for await (const line of createInterface(child.stdout)) {
    if (line.startsWith('{')) logged.push((JSON.parse(line) as { msg: string }).msg);
    else said.push(line);
    if (line === 'listening' || line.includes('shutting down: not ready')) child.kill(signal);
    // The end of a terminal session must not end it while it drains.
    if (line === 'framework drains') child.kill('SIGHUP');
  }
  expect(await ended).toEqual([0, null]);
  expect(said).toEqual(['listening', 'listener drains', 'framework drains', 'listener is closed', 'work ends']);
  expect(logged).toEqual(['shutting down: not ready', 'draining: no new connections', 'stopped']);
});
