// Builds the documents as a site with search, in scripts/docs-site/dist. Its tools have their own lock file, because
// only this command needs them. Run `npm run docs:site`, or `npm run docs:site -- --serve` to read the site at
// http://localhost:4173.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { documents, pages, root, site } from './links.mjs';

/** @param {string[]} args arguments of npm */
function npm(...args) {
  const { status } = spawnSync('npm', args, { cwd: site, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

const { devDependencies } = JSON.parse(readFileSync(path.join(site, 'package.json'), 'utf8'));
const installed = path.join(site, 'node_modules/vitepress/package.json');
const version = existsSync(installed) && JSON.parse(readFileSync(installed, 'utf8')).version;
if (version !== devDependencies.vitepress) npm('ci');

rmSync(pages, { recursive: true, force: true });
for (const file of documents) cpSync(path.join(root, file), path.join(pages, file));
cpSync(path.join(root, 'docs/images'), path.join(pages, 'docs/images'), { recursive: true });
cpSync(path.join(site, 'templates'), pages, { recursive: true });
npm('exec', '--', 'vitepress', 'build', '.');
if (process.argv.includes('--serve')) npm('exec', '--', 'vitepress', 'preview', '.');
