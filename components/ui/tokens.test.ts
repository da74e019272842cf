import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { contrast } from '@/lib/shared/config/brand-color';
import { BACKGROUNDS, readTokens } from '@/tests/support/tokens';

const TEXT = [
  ...BACKGROUNDS.flatMap((on) => [
    ['ink', on],
    ['accent', on],
  ]),
  ...['paper', 'surface', 'sunken'].flatMap((on) => [
    ['ink-soft', on],
    ['accent-strong', on],
    ['danger', on],
  ]),
  ['on-accent', 'accent'],
  ['on-accent', 'accent-strong'],
  ['danger', 'danger-wash'],
  ['on-danger', 'danger'],
  ['on-danger', 'danger-strong'],
  ['warning', 'warning-wash'],
  ['success', 'success-wash'],
  ['info', 'info-wash'],
];

const CONTROLS = ['paper', 'surface'].flatMap((on) => [
  ['edge', on],
  ['accent', on],
  ['danger', on],
  ['danger-strong', on],
]);

describe.each([
  ['light', 'normal', 4.5, 3],
  ['dark', 'normal', 4.5, 3],
  ['light', 'more', 7, 4.5],
  ['dark', 'more', 7, 4.5],
] as const)('the %s theme with %s contrast', (theme, level, text, control) => {
  const colors = readTokens(theme, level);
  const ratio = ([front = '', back = '']: string[]) => contrast(colors[front] ?? '', colors[back] ?? '');

  it.each(TEXT)('%s has the contrast of text on %s', (...pair) => expect(ratio(pair)).toBeGreaterThanOrEqual(text));
  it.each(CONTROLS)('%s has the contrast of a control on %s', (...pair) =>
    expect(ratio(pair)).toBeGreaterThanOrEqual(control),
  );
});

const PHYSICAL =
  /-(?:left|right)\b|(?:margin|padding|border)-(?:top|bottom)|(?:text-align|background-position):[^;]*\b(?:left|right)\b|^\s*(?:left|right|top|bottom|width|height|min-width|max-width|min-height|max-height):|float:|translateX|(?:margin|padding|inset):(?:\s+[^\s;]+){4};/gm;
const IN_SCRIPTS = /\b(?:margin|padding|border)(?:Left|Right)\b|textAlign: '(?:left|right)'/g;
const FILES = readdirSync('components', { recursive: true, encoding: 'utf8' });
const SHEETS = FILES.filter((file) => file.endsWith('.css') && !file.endsWith('tokens.css'));

it.each(SHEETS)('%s uses logical properties only, for right-to-left text', (sheet) => {
  expect(readFileSync(path.join('components', sheet), 'utf8').match(PHYSICAL) ?? []).toEqual([]);
});

it('no component sets a physical side', () => {
  const components = FILES.filter((file) => file.endsWith('.tsx'));
  expect(components.length).toBeGreaterThan(50);
  const found = components.flatMap(
    (file) =>
      readFileSync(path.join('components', file), 'utf8')
        .match(IN_SCRIPTS)
        ?.map((side) => `${file}: ${side}`) ?? [],
  );
  expect(found).toEqual([]);
});
