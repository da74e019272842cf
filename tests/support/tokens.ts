import { readFileSync } from 'node:fs';
import path from 'node:path';

export type Theme = 'light' | 'dark';
/** The level of contrast that the reader's system requests. */
export type Level = 'normal' | 'more';

const css = readFileSync(path.resolve(import.meta.dirname, '../../components/ui/tokens.css'), 'utf8');
const DARK = ":root[data-theme='dark']";
const BLOCKS = /(:root[^ ]*) \{([^}]*)\}/g;

/** Reads the colors of the tokens in a theme and level of contrast, as the cascade resolves them. */
export function readTokens(theme: Theme, level: Level): Record<string, string> {
  const [normal = '', more = ''] = css.split('@media (prefers-contrast: more)');
  const blocks = [...normal.matchAll(BLOCKS), ...(level === 'more' ? more.matchAll(BLOCKS) : [])]
    .filter(([, selector]) => theme === 'dark' || selector !== DARK)
    // Sorts declarations by precedence. A plain `:root` comes first, so that a longer selector wins.
    .sort(([, a], [, b]) => Number(a !== ':root') - Number(b !== ':root'));
  const values = Object.fromEntries(
    blocks.flatMap(([, , body = '']) =>
      [...body.matchAll(/--([\w-]+): (#[\da-f]{6}|var\(--[\w-]+\));/g)].map(([, name = '', value = '']) => [
        name,
        value,
      ]),
    ),
  );
  const resolve = (value = ''): string => (value.startsWith('var(') ? resolve(values[value.slice(6, -1)]) : value);
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, resolve(value)]));
}

/** Names of tokens that are backgrounds of text. */
export const BACKGROUNDS = [
  ...['paper', 'surface', 'sunken'],
  ...['accent-wash', 'danger-wash', 'success-wash', 'info-wash', 'warning-wash'],
];
