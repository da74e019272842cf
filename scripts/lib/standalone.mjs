import { cpSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { root } from './paths.mjs';

/**
 * The server program of a build: started with PORT, HOSTNAME and the app's configuration, it needs no other file than
 * those in its own folder.
 * @param {string} distDir folder of the build, below the project
 */
export function serverOf(distDir) {
  return path.join(root, distDir, 'standalone', 'server.js');
}

/**
 * Makes the folder of a build whole: the framework leaves out what a CDN could serve, and takes along local
 * configuration, which belongs to a machine and never into a build.
 * @param {string} distDir
 */
export function completeStandalone(distDir) {
  const folder = path.dirname(serverOf(distDir));
  cpSync(path.join(root, 'public'), path.join(folder, 'public'), { recursive: true });
  cpSync(path.join(root, distDir, 'static'), path.join(folder, distDir, 'static'), { recursive: true });
  for (const name of readdirSync(folder)) if (name.startsWith('.env')) rmSync(path.join(folder, name));
}
