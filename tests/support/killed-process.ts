import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { build } from 'esbuild';

/**
 * Bundles a program of tests/support: a process that loads the app's sources one by one needs seconds to begin, and each step of a test
 * takes a new one.
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
    // As in scripts/lib/bundle.mjs.
    ignoreAnnotations: true,
    external: ['@electric-sql/pglite', 'pg-native'],
    logLevel: 'error',
  });
  return outfile;
}

/**
 * A process that is killed after a step of its work (kill-after-step.mjs), once it gets a line: it is loaded by then.
 * @param program its file, bundled
 */
export function prepareKilledProcess(program: string, args: readonly string[], variables: Record<string, string> = {}) {
  const child = spawn(process.execPath, [program, ...args], { env: { ...process.env, ...variables } });
  let output = '';
  const onData = (chunk: Buffer) => (output += chunk.toString());
  child.stdout.on('data', onData);
  child.stderr.on('data', onData);
  const closed = once(child, 'close');
  return {
    /** @returns where it was killed, or `done` when it has fewer steps; `a call failed` when another service did not answer in time */
    run: async (line: string) => {
      child.stdin.end(`${line}\n`);
      await closed;
      if (!/^(done|a call failed|killed after [\w ]+)$/m.test(output)) throw new Error(output);
      return output.trim();
    },
    stop: () => child.kill('SIGKILL'),
  };
}
