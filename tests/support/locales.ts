import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Tree } from '@/lib/shared/i18n/messages';

const root = path.resolve(import.meta.dirname, '../../locales');

/** Folders of `locales/`, without that of the records (scripts/lib/translations.mjs). */
export const folders = readdirSync(root).filter((name) => !name.startsWith('.'));

/** The files of a language as they are, by namespace. */
export function readTexts(language: string): Record<string, Tree> {
  const files = readdirSync(path.join(root, language));
  return Object.fromEntries(
    files.map((file) => [
      path.basename(file, '.json'),
      JSON.parse(readFileSync(path.join(root, language, file), 'utf8')) as Tree,
    ]),
  );
}

/** The texts of a namespace by their key, such as `fields.email`. */
export function flattenTexts(texts: Tree, before = ''): Map<string, string> {
  return new Map(
    Object.entries(texts).flatMap(([key, text]) =>
      typeof text === 'string' ? [[before + key, text] as const] : [...flattenTexts(text, `${before}${key}.`)],
    ),
  );
}

/** Names of the values that a text has. */
export function getPlaceholders(text: string): string[] {
  return [...text.matchAll(/{{(.*?)}}/g)].map(([, name = '']) => name).sort();
}
