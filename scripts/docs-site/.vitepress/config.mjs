import { readFileSync } from 'node:fs';
import path from 'node:path';
import { description, documents, pages, root, site, toAddress, toPage, toSlug } from '../links.mjs';

/** @param {string} file relative to the repository */
const toItem = (file) => {
  const text = readFileSync(path.join(root, file), 'utf8');
  return { text: /^# (.+)$/m.exec(text)?.[1]?.replaceAll('`', '') ?? file, link: `/${toPage(file)}` };
};
/** @param {string} folder */
const toItems = (folder) =>
  documents
    .filter(
      (file) => file.startsWith(folder) && !file.endsWith('README.md') && !file.slice(folder.length).includes('/'),
    )
    .map(toItem);
/** @param {string} text @param {object[]} items */
const group = (text, items, collapsed = true) => ({ text, collapsed, items });
/** @param {string[]} names of documents in docs/ */
const named = (...names) => names.map((name) => toItem(`docs/${name}.md`));

const api = description.tags.map((/** @type {{ name: string }} */ { name }) => ({
  text: name,
  link: `/api/${toSlug(name)}.md`,
}));
const sidebar = [
  { text: 'Overview', link: '/index.md' },
  { text: 'Quick start', link: '/quick-start.md' },
  group(
    'Build a platform',
    [
      ...named('integration', 'openid-connect'),
      group('Products', toItems('docs/openid/')),
      group('API reference', api),
    ],
    false,
  ),
  group('Deploy', [toItem('docs/deploy/README.md'), ...toItems('docs/deploy/'), ...named('configuration')]),
  group('Operate', [
    toItem('docs/operate/README.md'),
    group('Questions of learners', toItems('docs/operate/learners/')),
    ...toItems('docs/operate/'),
    ...named('outages', 'faults', 'load'),
    toItem('UPGRADING.md'),
    toItem('CHANGELOG.md'),
  ]),
  group('Develop', [
    toItem('CONTRIBUTING.md'),
    ...named(
      'architecture',
      'development',
      'product',
      'account-policy',
      'performance',
      'accessibility',
      'dependencies',
      'glossary',
    ),
    group('Decision records', toItems('docs/adr/')),
  ]),
  group('Security', [toItem('SECURITY.md'), ...named('security', 'asvs', 'nist-800-63b-4')]),
];

const config = {
  title: 'Learner identity',
  description: 'Sign-in for an online-learning platform',
  srcDir: pages,
  outDir: path.join(site, 'dist'),
  cacheDir: path.join(site, '.cache'),
  rewrites: toPage,
  cleanUrls: true,
  // Documents may contain the address of a local service.
  ignoreDeadLinks: 'localhostLinks',
  vite: {
    publicDir: path.join(root, 'docs/images'),
  },
  markdown: {
    /** @param {any} md the parser, of markdown-it */
    config: (md) => {
      md.core.ruler.push('repository-links', (/** @type {any} */ { tokens, env }) => {
        const file = path.relative(pages, env.realPath ?? env.path);
        if (!documents.includes(file)) return;
        for (const token of tokens.flatMap((/** @type {any} */ { children }) => children ?? []))
          if (token.type === 'link_open') token.attrSet('href', toAddress(file, token.attrGet('href')));
      });
    },
  },
  themeConfig: {
    search: { provider: 'local' },
    outline: { level: [2, 3] },
    sidebar,
    nav: [
      { text: 'Quick start', link: '/quick-start.md' },
      { text: 'Integrate', link: '/integration.md' },
      { text: 'Deploy', link: '/deploy/index.md' },
      { text: 'Operate', link: '/operate/index.md' },
      { text: 'API', link: api[0].link },
    ],
  },
};

export default config;
