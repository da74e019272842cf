import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from '../../scripts/lib/paths.mjs';

const read = (file: string) => readFileSync(path.join(root, 'docs', file), 'utf8');
/** Returns the cells of all table rows in a document, without headers. */
const parseRows = (text: string) =>
  text
    .split('\n')
    .filter((line) => /^\| (?!id|requirement|sign-in method|---)/.test(line))
    .map((line) =>
      line
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim()),
    );
/** Returns ids that tests cite, as in `// ASVS: 6.2.1, 6.2.5`. */
const citedBy = (kind: 'ASVS' | 'Threats') => {
  const tests = ['*.test.ts', '*.test.tsx', '*.spec.ts', 'bench/*.mjs'];
  const lines = execFileSync('git', ['grep', '-hE', `^// ${kind}: `, '--', ...tests], { cwd: root, encoding: 'utf8' });
  return new Set(
    lines
      .trim()
      .split('\n')
      .flatMap((line) => line.replace(`// ${kind}: `, '').split(', ')),
  );
};

/**
 * Levels 1 and 2 of the chapters, and two of level 3, as sections with the numbers of their first and last requirement.
 */
const CHAPTERS: Record<string, string[]> = {
  V3: ['3.2.1-2', '3.3.1-4', '3.4.1-6', '3.5.1-5', '3.7.1-2'],
  V6: ['6.1.1-3', '6.2.1-12', '6.3.1-5', '6.3.7-7', '6.4.1-4', '6.5.1-5', '6.6.1-3', '6.8.1-4'],
  V7: ['7.1.1-3', '7.2.1-4', '7.3.1-2', '7.4.1-5', '7.5.1-2', '7.6.1-2'],
  V9: ['9.1.1-3', '9.2.1-4'],
  V10: ['10.1.1-2', '10.2.1-2', '10.3.1-4', '10.4.1-11', '10.5.1-5', '10.6.1-2', '10.7.1-3'],
};
const REQUIREMENTS = Object.values(CHAPTERS)
  .flat()
  .flatMap((section) => {
    const [, stem = '', first, last] = /^(\d+\.\d+)\.(\d+)-(\d+)$/.exec(section) ?? [];
    return Array.from({ length: Number(last) - Number(first) + 1 }, (_, i) => `${stem}.${String(Number(first) + i)}`);
  });

describe('the threat model', () => {
  const [model = ''] = read('security.md').split('## Sign-in methods');
  const rows = parseRows(model);

  it('has tests that cite its threats, each and no others', () => {
    const ids = rows.map(([id = '']) => id.replaceAll('`', ''));
    expect(ids.length).toBeGreaterThan(30);
    expect([...citedBy('Threats')].sort()).toEqual(ids.sort());
  });
});

describe('the known open issues', () => {
  const [, section = ''] = /^## Known open issues\n(.*?)^## /ms.exec(read('security.md')) ?? [];
  const issues = section.split(/^- /m).slice(1);

  it('each say whether it is accepted, and why, or planned', () => {
    expect(issues.length).toBeGreaterThan(20);
    const isDecided = (issue: string) => /\b(?:Accepted (?:\w+ \w+ )?because|Planned:) \S/.test(issue);
    expect(issues.filter((issue) => !isDecided(issue.replaceAll(/\s+/g, ' ')))).toEqual([]);
  });
});

describe('the ASVS table', () => {
  const text = read('asvs.md');
  const rows = parseRows(text);
  const getIds = (...states: string[]) =>
    rows.filter(([, met = '']) => states.includes(met)).map(([requirement = '']) => requirement.split(' ')[0]);
  /** The list of requirements that do not apply, with ids and reasons. */
  const reasons = [...text.matchAll(/^- (\d.*(?:\n {2}.*)*)/gm)].map(([, item = '']) => item);
  const others = reasons.flatMap((item) => [...item.matchAll(/\b\d+\.\d+\.\d+\b/g)].map(([id]) => id));

  it('has every requirement of its chapters once, in order, but for those that do not apply', () => {
    expect(rows.map(([requirement = '']) => requirement.split(' ')[0])).toEqual(
      REQUIREMENTS.filter((id) => !others.includes(id)),
    );
    expect(others).toEqual([...new Set(others)].filter((id) => REQUIREMENTS.includes(id)));
  });

  it('has tests that cite what is met', () => {
    const cited = citedBy('ASVS');
    expect(getIds('yes', 'partly').filter((id = '') => !cited.has(id))).toEqual([]);
    const citable = getIds('yes', 'partly', 'no');
    expect([...cited].filter((id) => !citable.includes(id))).toEqual([]);
  });

  it('says of each requirement whether it is met, and where or why not', () => {
    const states = ['yes', 'partly', 'no'];
    expect(rows.filter(([, met = '', where = '']) => !states.includes(met) || !/\w/.test(where))).toEqual([]);
    expect(reasons.filter((item) => !/: \w/.test(item))).toEqual([]);
  });
});
