import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Tree } from '@/lib/shared/i18n/messages';

const root = path.resolve(import.meta.dirname, '../../locales');

/** Folders of `locales/`, without the folder of the records (scripts/lib/translations.mjs). */
export const folders = readdirSync(root).filter((name) => !name.startsWith('.'));

/** Reads the files of a language by namespace. */
export function readTexts(language: string): Record<string, Tree> {
  const files = readdirSync(path.join(root, language));
  return Object.fromEntries(
    files.map((file) => [
      path.basename(file, '.json'),
      JSON.parse(readFileSync(path.join(root, language, file), 'utf8')) as Tree,
    ]),
  );
}

/** Returns the texts of a namespace by their keys, such as `fields.email`. */
export function flattenTexts(texts: Tree, before = ''): Map<string, string> {
  return new Map(
    Object.entries(texts).flatMap(([key, text]) =>
      typeof text === 'string' ? [[before + key, text] as const] : [...flattenTexts(text, `${before}${key}.`)],
    ),
  );
}

/** Lists the names of a text's values. */
export function getPlaceholders(text: string): string[] {
  return [...text.matchAll(/{{(.*?)}}/g)].map(([, name = '']) => name).sort();
}
