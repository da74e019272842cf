import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { contrast } from '@/lib/shared/config/brand-color';

const tokens = readFileSync('components/ui/tokens.css', 'utf8');

/** The color custom properties of one theme. */
function getColors(theme: 'light' | 'dark'): Record<string, string> {
  const [light = '', dark = ''] = tokens.split(":root[data-theme='dark']");
  const rules = theme === 'light' ? light : (dark.split('}')[0] ?? '');
  return Object.fromEntries(
    [...rules.matchAll(/--([\w-]+): (#[\da-f]{6});/g)].map(([, name = '', value = '']) => [name, value]),
  );
}

const TEXT = [
  ...['paper', 'surface', 'sunken', 'accent-wash', 'danger-wash', 'success-wash', 'info-wash', 'warning-wash'].map(
    (on) => ['ink', on],
  ),
  ...['paper', 'surface', 'sunken'].flatMap((on) => [
    ['ink-soft', on],
    ['accent', on],
    ['accent-strong', on],
    ['danger', on],
  ]),
  ['on-accent', 'accent'],
  ['on-accent', 'accent-strong'],
  ['accent', 'accent-wash'],
  ['accent', 'info-wash'],
  ['danger', 'danger-wash'],
  ['on-danger', 'danger'],
  ['on-danger', 'danger-strong'],
  ['warning', 'warning-wash'],
  ['accent', 'warning-wash'],
  ['success', 'success-wash'],
  ['info', 'info-wash'],
];

const CONTROLS = ['paper', 'surface'].flatMap((on) => [
  ['edge', on],
  ['accent', on],
  ['danger', on],
  ['danger-strong', on],
]);

describe.each(['light', 'dark'] as const)('the %s theme', (theme) => {
  const colors = getColors(theme);
  const ratio = ([front = '', back = '']: string[]) => contrast(colors[front] ?? '', colors[back] ?? '');

  it.each(TEXT)('%s has the contrast of text on %s', (...pair) => expect(ratio(pair)).toBeGreaterThanOrEqual(4.5));
  it.each(CONTROLS)('%s has the contrast of a control on %s', (...pair) =>
    expect(ratio(pair)).toBeGreaterThanOrEqual(3),
  );
});

const PHYSICAL =
  /(?:margin|padding|border)-(?:left|right|top|bottom)|text-align:\s*(?:left|right)|^\s*(?:left|right|top|bottom|width|height|min-width|max-width|min-height|max-height):|float:/gm;
const SHEETS = readdirSync('components', { recursive: true, encoding: 'utf8' }).filter(
  (file) => file.endsWith('.css') && !file.endsWith('tokens.css'),
);

it.each(SHEETS)('%s uses logical properties only, for right-to-left text', (sheet) => {
  expect(readFileSync(path.join('components', sheet), 'utf8').match(PHYSICAL) ?? []).toEqual([]);
});
