import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readStyleSheet } from './content-security-policy';

const before = process.env.BUILD_FOLDER;
const folder = mkdtempSync(path.join(tmpdir(), 'built-'));

beforeAll(() => {
  process.env.BUILD_FOLDER = folder;
  mkdirSync(path.join(folder, 'static'));
  writeFileSync(path.join(folder, 'static', 'plain.css'), 'a{color:red}');
  writeFileSync(path.join(folder, 'static', 'ends.css'), 'a{content:"</STYLE><script>"}');
  writeFileSync(path.join(folder, 'static', 'picture.css'), 'a{background:url(picture.svg)}');
});

afterAll(() => {
  process.env.BUILD_FOLDER = before;
  rmSync(folder, { recursive: true });
});

it('returns the text of a built style sheet', () => {
  expect(readStyleSheet('/_next/static/plain.css')).toBe('a{color:red}');
});

it.each([
  ['is not there', '/_next/static/none.css'],
  ['stands on another host', 'https://cdn.campus.test/_next/static/plain.css'],
  ['would end the element', '/_next/static/ends.css'],
  ['has addresses relative to itself', '/_next/static/picture.css'],
])('leaves to the framework a style sheet that %s', (_, href) => {
  expect(readStyleSheet(href)).toBeNull();
});

it('reads a style sheet again that could not be read', () => {
  const late = path.join(folder, 'static', 'late.css');
  expect(readStyleSheet('/_next/static/late.css')).toBeNull();
  writeFileSync(late, 'a{color:blue}');
  expect(readStyleSheet('/_next/static/late.css')).toBe('a{color:blue}');
  rmSync(late);
  expect(readStyleSheet('/_next/static/late.css')).toBe('a{color:blue}');
});
