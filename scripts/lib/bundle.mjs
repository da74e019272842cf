import { build } from 'esbuild';
import { root } from './paths.mjs';

/** Programs of the image, with the source file of each. */
const PROGRAMS = { server: 'lib/server/launch/main.ts', cli: 'cli/main.ts' };

/**
 * Bundles each program that is started with `node` into one file. The framework bundles only pages and routes, and
 * copies only the libraries that these need.
 * @param {string} folder where the programs are written
 * @param {string} [distDir] the folder of the build, below `folder`
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
    // The build has only the production files of the library that renders emails (next.config.js). Outside of the image,
    // nothing else sets this variable for the tool.
    banner: { js: "process.env.NODE_ENV = 'production';" },
    define: { 'process.env.BUILD_FOLDER': JSON.stringify(distDir) },
    // The framework's server is beside the bundle. The other packages are in its node_modules because they need their
    // own files, or are not installed.
    external: ['./framework-server.js', '@electric-sql/pglite', 'pg-native', 'oidc-provider'],
    // esbuild omits the initialization of a lazily imported library that claims to have no side effects. `sql` at the
    // top of a module then fails with "StringChunk is not a constructor".
    ignoreAnnotations: true,
    // Keeps the names of errors, which appear in messages, and keeps stack traces readable.
    keepNames: true,
    logLevel: 'error',
  });
}
