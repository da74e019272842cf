import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

// Lists git's files and not the disk's, because a file that a build writes is missing in a fresh clone.
const files = execFileSync('git', ['ls-files'], { encoding: 'utf8' }).trim().split('\n');
const held = new Set(files.flatMap((file) => file.split('/').map((_, i, parts) => parts.slice(0, i + 1).join('/'))));
const isHeld = (name: string) => held.has(path.normalize(name).replace(/\/$/, ''));
const documents = files.filter((file) => file.endsWith('.md'));
const records = documents.filter((file) => file.startsWith('docs/adr/'));

test('every link between documents points to a file', () => {
  const broken = documents.flatMap((document) =>
    [...readFileSync(document, 'utf8').matchAll(/(?:\]\(|^\[[^\]]+\]: )(?!https?:|mailto:|#)([^)#\s]+)/gm)]
      .map(([, target = '']) => path.join(path.dirname(document), target))
      .filter((target) => !isHeld(target))
      .map((target) => `${document}: ${target}`),
  );
  expect(broken).toEqual([]);
});

/** Lists anchors that Markdown renderers derive from headings, and explicit anchors. */
const getAnchors = (document: string) => {
  const text = readFileSync(document, 'utf8').replaceAll(/^```[^]*?^```/gm, '');
  const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_\s-]/gu, '')
      .trim()
      .replaceAll(' ', '-'),
  );
  return new Set([...headings, ...[...text.matchAll(/<a id="([^"]+)"/g)].map(([, id = '']) => id)]);
};

test('every place in a document that another one, or the code, leads to is there', () => {
  const inDocuments = documents.flatMap((document) =>
    [...readFileSync(document, 'utf8').matchAll(/\]\((?!https?:)([^)#\s]*)#([^)\s]+)\)/g)].map(
      ([, file = '', anchor = '']) =>
        [file === '' ? document : path.join(path.dirname(document), file), anchor] as const,
    ),
  );
  const grep = ['grep', '-ohE', String.raw`docs/[a-z0-9/-]+\.md(#[a-z0-9-]+)?`, '--', ':!*.md'];
  const inCode = execFileSync('git', grep, { encoding: 'utf8' })
    .trim()
    .split('\n')
    .map((place) => place.split('#') as [string, string?]);
  expect(inDocuments.length).toBeGreaterThan(100);
  const missing = [...inDocuments, ...inCode].filter(
    ([file, anchor]) =>
      file.endsWith('.md') && (!isHeld(file) || (anchor !== undefined && !getAnchors(file).has(anchor))),
  );
  expect(missing).toEqual([]);
});

test('every path they name is there', () => {
  const paths = /`((?:cli|components|deploy|examples|lib|locales|pages|scripts|tests)\/[\w./[\]-]+)`/g;
  const named = documents.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(paths)].map(([, name = '']) => `${file}: ${name}`),
  );
  expect(named.length).toBeGreaterThan(50);
  expect(named.filter((entry) => !isHeld(entry.split(': ')[1] ?? ''))).toEqual([]);
});

test('ADRs are numbered without gaps', () => {
  const numbers = records.map((file) => Number(path.basename(file).slice(0, 4)));
  expect(numbers.sort((a, b) => a - b)).toEqual(numbers.map((_, i) => i + 1));
});

test('the commands that documents name exist', () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
  const named = documents.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/npm run ([\w:]+)/g)].map(([, name = '']) => name),
  );
  expect([...new Set(named)].filter((name) => !(name in scripts))).toEqual([]);
});

test('product decisions and ADRs cited in code exist', () => {
  const slug = (heading: string) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\s/-]|\//g, '')
      .trim()
      .replaceAll(' ', '-');
  const headings = [...readFileSync('docs/product.md', 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, text = '']) =>
    slug(text),
  );
  const cited = execFileSync('git', ['grep', '-ohE', 'docs/(product\\.md#[a-z-]+|adr/[0-9]{4})'], { encoding: 'utf8' })
    .trim()
    .split('\n');
  const anchors = headings.map((heading) => `docs/product.md#${heading}`);
  const numbers = records.map((file) => file.slice(0, 'docs/adr/'.length + 4));
  expect(cited.length).toBeGreaterThan(100);
  expect([...new Set(cited)].filter((reference) => ![...anchors, ...numbers].includes(reference))).toEqual([]);
});

// https://keepachangelog.com/en/1.1.0/
test('the changelog has its unreleased changes first, each under a known kind', () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  const [, ...releases] = readFileSync('CHANGELOG.md', 'utf8').split(/^## /m);
  const titles = releases.map((release) => release.split('\n', 1)[0] ?? '');
  expect(titles[0]).toBe('[Unreleased]');
  expect(titles.slice(1).filter((title) => !/^\[\d+\.\d+\.\d+\] - \d{4}-\d{2}-\d{2}$/.test(title))).toEqual([]);
  // Before the first release, the current version has no entry.
  if (titles.length > 1) expect(titles[1]).toContain(`[${version}]`);
  const kinds = releases.flatMap((release) => [...release.matchAll(/^### (.+)$/gm)].map(([, kind]) => kind));
  const known = ['Added', 'Changed', 'Deprecated', 'Removed', 'Fixed', 'Security'];
  expect(kinds.filter((kind) => !known.includes(kind ?? ''))).toEqual([]);
});
