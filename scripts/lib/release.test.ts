import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { assertSteps, cutChangelog, isLater, readNotes } from './release.mjs';

const CHANGELOG =
  '# Changelog\n\n## [Unreleased]\n\n### Added\n\n- One thing.\n\n## [0.8.0] - 2026-01-01\n\n- Older.\n';

test('what is unreleased gets the version, and what comes next begins empty', () => {
  const cut = cutChangelog(CHANGELOG, '0.9.0', '2026-11-28');
  expect(cut).toBe(CHANGELOG.replace('## [Unreleased]\n', '## [Unreleased]\n\n## [0.9.0] - 2026-11-28\n'));
  expect(readNotes(cut, '0.9.0')).toBe('### Added\n\n- One thing.');
  expect(readNotes(cut, '0.8.0')).toBe('- Older.');
  expect(() => cutChangelog(cut, '0.9.0', '2026-11-29')).toThrow('has 0.9.0 already');
  expect(() => cutChangelog(cut, '0.9.1', '2026-11-29')).toThrow('nothing under [Unreleased]');
  expect(() => readNotes(cut, '0.7.0')).toThrow('no 0.7.0');
});

test('a version that asks operators to act has its steps in UPGRADING.md, also the one of this project', () => {
  const [notes, steps] = ['**Operators must act**\n\n- Do it.', '## To 0.9.0, from 0.8\n'];
  expect(() => assertSteps(notes, steps, '0.9.1')).toThrow('"## To 0.9.1"');
  assertSteps(notes, steps, '0.9.0');
  assertSteps('- One thing.', steps, '0.9.1');

  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  const changelog = readFileSync('CHANGELOG.md', 'utf8');
  assertSteps(readNotes(changelog, version), readFileSync('UPGRADING.md', 'utf8'), version);
});

test.each([
  ['0.9.0', '0.1.0', true],
  ['0.10.0', '0.9.9', true],
  ['1.0.0', '0.99.99', true],
  ['0.9.0', '0.9.0', false],
  ['0.9.0', '0.10.0', false],
])('%s is later than %s: %s', (one, other, expected) => {
  expect(isLater(one, other)).toBe(expected);
});

test.each(['', '1.0', 'v1.0.0', '01.0.0', '1.0.0-rc.1'])('"%s" is no version', (text) => {
  expect(() => isLater(text, '0.1.0')).toThrow('is not a version');
});
