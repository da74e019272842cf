import { readFileSync } from 'node:fs';
import path from 'node:path';

export type Theme = 'light' | 'dark';
/** As the reader's system asks for it. */
export type Level = 'normal' | 'more';

const css = readFileSync(path.resolve(import.meta.dirname, '../../components/ui/tokens.css'), 'utf8');
const BLOCKS = /(@media \(prefers-contrast: more\) \{\s*)?:root(\[data-theme='dark'\])? \{([^}]*)\}/g;

/** The colors of the tokens, in a theme and level of contrast, as the cascade has them. */
export function readTokens(theme: Theme, level: Level): Record<string, string> {
  const used = [...css.matchAll(BLOCKS)].filter(
    ([, more, dark]) => (level === 'more' || !more) && (theme === 'dark' || !dark),
  );
  // What names the theme has the higher specificity.
  const inOrder = [...used.filter(([, , dark]) => !dark), ...used.filter(([, , dark]) => dark)];
  return Object.fromEntries(
    inOrder.flatMap(([, , , body = '']) =>
      [...body.matchAll(/--([\w-]+): (#[\da-f]{6});/g)].map(([, name = '', value = '']) => [name, value]),
    ),
  );
}

/** Names of the tokens that are backgrounds of text. */
export const BACKGROUNDS = [
  ...['paper', 'surface', 'sunken'],
  ...['accent-wash', 'danger-wash', 'success-wash', 'info-wash', 'warning-wash'],
];
