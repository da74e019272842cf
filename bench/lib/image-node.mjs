import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '../../scripts/lib/paths.mjs';

/** Major version of Node in the image. */
const [, IMAGE_NODE = ''] = /NODE_IMAGE=node:(\d+)/.exec(readFileSync(path.join(root, 'Dockerfile'), 'utf8')) ?? [];

/** Whether this process runs on the image's Node version. */
export const isImageNode = process.versions.node.split('.')[0] === IMAGE_NODE;

/**
 * Runs a bench on the image's Node version, which it downloads.
 * @param {string} name
 * @returns {boolean} whether it stayed within its budgets
 */
export function benchOnImageNode(name) {
  console.log(`\n${name}, on Node ${IMAGE_NODE}`);
  const bench = path.join(root, 'bench/bench.mjs');
  const args = ['--yes', `--package=node@${IMAGE_NODE}`, '--', 'node', bench, name];
  return spawnSync('npx', args, { stdio: 'inherit' }).status === 0;
}
