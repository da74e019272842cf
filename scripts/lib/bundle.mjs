import { build } from 'esbuild';
import { root } from './paths.mjs';

/** Programs of the image, by the source file of each. */
const PROGRAMS = { server: 'lib/server/launch/main.ts', cli: 'cli/main.ts' };

/**
 * Bundles the programs that are started with `node`, each into one file: the framework bundles only pages and routes, and
 * copies only the libraries that these need.
 * @param {string} folder where the programs are written to
 * @param {string} [distDir] the folder of the build, below that one
 */
export async function bundlePrograms(folder, distDir = '.next') {
  await build({
    absWorkingDir: root,
    entryPoints: PROGRAMS,
    outdir: folder,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20.9',
    define: { 'process.env.BUILD_FOLDER': JSON.stringify(distDir) },
    // Beside the bundle, where the build has put it; and in its node_modules, with files of their own, or not installed.
    external: ['./framework-server.js', '@electric-sql/pglite', 'pg-native', 'oidc-provider'],
    // A library that is also imported lazily is initialized at its first use; where it claims to have no side effects, esbuild
    // leaves out that call, and `sql` at the top of a module fails ("StringChunk is not a constructor").
    ignoreAnnotations: true,
    // Keeps names of errors, which appear in messages, and readable stack traces.
    keepNames: true,
    logLevel: 'error',
  });
}
