import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { compareTexts, recordTexts } from './translations.mjs';

const folder = mkdtempSync(path.join(os.tmpdir(), 'locales-'));
mkdirSync(path.join(folder, '.translated'));
const write = (language: string, texts: object) => {
  mkdirSync(path.join(folder, language), { recursive: true });
  writeFileSync(path.join(folder, language, 'sign-in.json'), JSON.stringify(texts));
};

test('lists what a language lacks, has too many of, and has from another English text', () => {
  write('en', {
    heading: 'Sign in',
    fields: { email: 'Email' },
    left_one: '{{count}} code',
    left_other: '{{count}} codes',
  });
  write('ja', { heading: 'ログイン', fields: { email: 'メール' }, left_other: '{{count}}' });
  expect(compareTexts(folder, 'ja')).toMatchObject({ missing: [], leftOver: [] });
  expect(compareTexts(folder, 'ja').changed).toHaveLength(4);
  recordTexts(folder, 'ja');
  expect(compareTexts(folder, 'ja')).toEqual({ missing: [], leftOver: [], changed: [] });

  write('en', {
    heading: 'Log in',
    fields: { email: 'Email', code: 'Code' },
    left_one: '1',
    left_other: '{{count}} codes',
  });
  write('ja', { heading: 'ログイン', fields: { email: 'メール', name: '名前' }, left_other: '{{count}}' });
  expect(compareTexts(folder, 'ja')).toEqual({
    missing: ['sign-in:fields.code'],
    leftOver: ['sign-in:fields.name'],
    changed: ['sign-in:heading', 'sign-in:fields.code', 'sign-in:left_one'],
  });
});
