import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';

/**
 * A process that is killed after a step of its work (kill-after-step.mjs), once it gets a line: it is loaded by then.
 * @param file in tests/support
 */
export function prepareKilledProcess(file: string, args: readonly string[], variables: Record<string, string> = {}) {
  const program = path.resolve('tests/support', file);
  const child = spawn(process.execPath, [program, ...args], { env: { ...process.env, ...variables } });
  let output = '';
  const onData = (chunk: Buffer) => (output += chunk.toString());
  child.stdout.on('data', onData);
  child.stderr.on('data', onData);
  const closed = once(child, 'close');
  return {
    /** @returns where it was killed, or `done` when it has fewer steps */
    run: async (line: string) => {
      child.stdin.end(`${line}\n`);
      await closed;
      if (!/^(done|killed after [\w ]+)$/m.test(output)) throw new Error(output);
      return output.trim();
    },
    stop: () => child.kill('SIGKILL'),
  };
}
