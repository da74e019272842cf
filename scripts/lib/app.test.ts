import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { checkTexts } from './app.mjs';

test('a text file that is no JSON stops the build, and is named', () => {
  const folder = path.join(mkdtempSync(path.join(os.tmpdir(), 'texts-')), 'locales');
  mkdirSync(path.join(folder, 'es'), { recursive: true });
  writeFileSync(path.join(folder, 'es/sign-in.json'), '{"heading": "Sign in"}');
  expect(() => checkTexts(folder)).not.toThrow();
  writeFileSync(path.join(folder, 'es/common.json'), '{"heading": ');
  expect(() => checkTexts(folder)).toThrow(/^locales\/es\/common\.json: SyntaxError/);
});
