import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';
import { allApiFiles } from '../../scripts/lib/api-files.mjs';
import { root, runDir } from '../../scripts/lib/paths.mjs';

/**
 * Bundles a program that serves the API routes on the port in its argument. A process that loads the sources separately
 * needs seconds of CPU time to begin. The program is below the project, because libraries are loaded from node_modules.
 * @returns its file
 */
export async function bundleRoutesProgram(): Promise<string> {
  const routes = allApiFiles().map(
    ({ file }) => `${JSON.stringify(file)}: () => require(${JSON.stringify(`.${file}`)})`,
  );
  const contents = `const routes = { ${routes.join(', ')} };
    void require('./tests/support/routes.ts').serveRoutes(Number(process.argv[2]), (file) => routes[file]());`;
  mkdirSync(runDir, { recursive: true });
  const outfile = path.join(runDir, `routes-${process.pid}.cjs`);
  await build({
    absWorkingDir: root,
    stdin: { contents, resolveDir: root },
    outfile,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20.19',
    packages: 'external',
    // This module derives the project's path from its own location.
    external: [path.join(root, 'scripts/lib/paths.mjs')],
    alias: { '@': root },
    keepNames: true,
    logLevel: 'error',
  });
  return outfile;
}
