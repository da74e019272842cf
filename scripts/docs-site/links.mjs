// Maps files of the repository to addresses on the site. Links in documents stay in the form that a code host needs.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = path.resolve(fileURLToPath(import.meta.url), '../../..');
export const site = path.join(root, 'scripts/docs-site');
/**
 * Copies of the documents. They are below the site's packages, because the generator resolves imports from each page.
 */
export const pages = path.join(site, '.pages');
export const description = JSON.parse(readFileSync(path.join(root, 'docs/openapi.json'), 'utf8'));

/** @param {string} text */
export const toSlug = (text) => text.toLowerCase().replaceAll(/[^\w]+/g, '-');
/**
 * @param {string} file a Markdown file, relative to the repository. Names on the site must differ by more than case.
 */
export const toPage = (file) =>
  file
    .replace(/^SECURITY\.md$/, 'security-policy.md')
    .replace(/^docs\//, '')
    .replace(/README\.md$/, 'index.md');

/** @type {string[]} */
const tracked = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).trim().split('\n');
export const documents = tracked.filter((file) => file.endsWith('.md') && !file.startsWith('scripts/docs-site/'));

/** @param {string} file @param {string} href a link in the file @returns {string} the address on the site */
export function toAddress(file, href) {
  if (/^(?:[a-z]+:|\/)/.test(href)) return href;
  const [name = '', anchor] = href.split('#');
  const target = name === '' ? file : path.posix.join(path.posix.dirname(file), name).replace(/\/$/, '');
  const hash = anchor === undefined ? '' : `#${anchor}`;
  if (target.startsWith('docs/images/')) return target.replace('docs/images', '');
  if (target === 'docs/openapi.json') return `/api/${toSlug(description.tags[0].name)}.md`;
  if (target.endsWith('.md')) return `/${toPage(target)}${hash}`;
  if (tracked.includes(`${target}/README.md`)) return `/${toPage(`${target}/README.md`)}`;
  return `/source/${toSource(target)}.md`;
}

/** @param {string} target */
const toSource = (target) => target.replaceAll('.', '-').replaceAll(/[[\]]/g, '_');

/** Lists the linked files and folders that are not documents. Each becomes a page with its contents. */
export function listSources() {
  const targets = documents.flatMap((file) =>
    [...readFileSync(path.join(root, file), 'utf8').matchAll(/(?:\]\(|^\[[^\]]+\]: )(?![a-z]+:|#)([^)#\s]+)/gm)].map(
      ([, href = '']) => path.posix.join(path.posix.dirname(file), href).replace(/\/$/, ''),
    ),
  );
  return [...new Set(targets)]
    .filter((target) => !/\.(?:md|webp)$|^docs\/openapi\.json$/.test(target))
    .filter((target) => existsSync(path.join(root, target)) && !tracked.includes(`${target}/README.md`))
    .map((target) => ({ params: { file: toSource(target) }, content: renderSource(target) }));
}

/** @param {string} target */
function renderSource(target) {
  if (statSync(path.join(root, target)).isDirectory()) {
    const files = tracked.filter((file) => file.startsWith(`${target}/`));
    return `# ${target}\n\nThis folder contains these files:\n\n${files.map((file) => `- \`${file}\``).join('\n')}\n`;
  }
  const text = readFileSync(path.join(root, target), 'utf8');
  const language = { mts: 'ts', mjs: 'js', env: 'ini', conf: 'nginx', service: 'ini' }[path.extname(target).slice(1)];
  const fence = '`'.repeat(5);
  return `# ${path.basename(target)}\n\n\`${target}\`\n\n${fence}${language ?? path.extname(target).slice(1)}\n${text}\n${fence}\n`;
}
