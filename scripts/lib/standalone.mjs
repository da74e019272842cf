import { cpSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { root } from './paths.mjs';

/**
 * The server program of a build: started with PORT, HOSTNAME and the app's configuration, it needs no files outside
 * its own folder.
 * @param {string} distDir build folder, below the project
 */
export function getServerFile(distDir) {
  return path.join(root, distDir, 'standalone', 'server.js');
}

/**
 * Completes the standalone folder of a build: the framework leaves out static files that a CDN could serve, and
 * includes local configuration, which is machine-specific and must never be part of a build.
 * @param {string} distDir
 */
export function completeStandalone(distDir) {
  const folder = path.dirname(getServerFile(distDir));
  cpSync(path.join(root, 'public'), path.join(folder, 'public'), { recursive: true });
  cpSync(path.join(root, distDir, 'static'), path.join(folder, distDir, 'static'), { recursive: true });
  for (const name of readdirSync(folder)) if (name.startsWith('.env')) rmSync(path.join(folder, name));
}
