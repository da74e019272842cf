import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { build } from 'esbuild';

/**
 * Bundles a program of tests/support. A process that loads the app's sources separately takes seconds to begin, and
 * each step of a test needs a new process.
 * @returns its file
 */
export async function bundleKilledProcess(name: string): Promise<string> {
  const outfile = path.resolve('.test-run/killed', `${name}-${String(process.pid)}.cjs`);
  await build({
    entryPoints: [path.resolve('tests/support', `${name}.ts`)],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20.9',
    // See scripts/lib/bundle.mjs.
    ignoreAnnotations: true,
    external: ['@electric-sql/pglite', 'pg-native'],
    logLevel: 'error',
  });
  return outfile;
}

/**
 * Starts a process that is killed after a step of its work (kill-after-step.mjs). It is already loaded when it gets the
 * line with its task.
 * @param program its bundled file
 */
export function prepareKilledProcess(program: string, args: readonly string[], variables: Record<string, string> = {}) {
  const child = spawn(process.execPath, [program, ...args], { env: { ...process.env, ...variables } });
  let output = '';
  const onData = (chunk: Buffer) => (output += chunk.toString());
  child.stdout.on('data', onData);
  child.stderr.on('data', onData);
  const closed = once(child, 'close');
  return {
    /**
     * @returns the step after which it was killed, or `done` if it has fewer steps, or `a call failed` if another
     * service did not respond in time
     */
    run: async (line: string) => {
      child.stdin.end(`${line}\n`);
      await closed;
      if (!/^(done|a call failed|killed after [\w ]+)$/m.test(output)) throw new Error(output);
      return output.trim();
    },
    stop: () => child.kill('SIGKILL'),
  };
}
