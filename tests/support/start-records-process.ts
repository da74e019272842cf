import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import type { RecordsChoice } from '@/lib/server/storage/records/engines';

/** Starts a process that opens the records, and writes events of an account until it is killed. */
export function startRecordsProcess(choice: RecordsChoice, uid = '') {
  const file = path.resolve('tests/support/records-process.mjs');
  const child = spawn(process.execPath, [file, JSON.stringify(choice), uid]);
  let output = '';
  const onData = (chunk: Buffer) => (output += chunk.toString());
  child.stdout.on('data', onData);
  child.stderr.on('data', onData);
  return {
    kill: () => child.kill('SIGKILL'),
    exited: once(child, 'close').then(([code]) => ({ code: code as number | null, output })),
    waitFor: async (text: string) => {
      while (!output.includes(text)) await once(child.stdout, 'data');
    },
  };
}
