import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const FOLDER = 'tests/e2e/outlines/';
const months = Array.from({ length: 12 }, (_, i) => new Date(2026, i).toLocaleString('en', { month: 'long' }));

test('no outline of a screen names the month in which it was written', () => {
  const dated = readdirSync(FOLDER).filter((file) => {
    const outline = readFileSync(FOLDER + file, 'utf8');
    return months.some((month) => new RegExp(String.raw`\b${month} (\d|\\)`).test(outline));
  });
  expect(dated).toEqual([]);
});
