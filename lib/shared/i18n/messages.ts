import type { Catalog } from './catalog';
import type { Language } from './languages';

/** `key_one`, `key_other` and `key_ordinal_two` are plural forms of `key`. */
type WithoutForm<Key extends string> = Key extends `${infer Stem}_ordinal_${Intl.LDMLPluralRule}`
  ? Stem
  : Key extends `${infer Stem}_${Intl.LDMLPluralRule}`
    ? Stem
    : Key;
type Keys<Tree> = {
  [Key in keyof Tree & string]: Tree[Key] extends string ? WithoutForm<Key> : `${Key}.${Keys<Tree[Key]>}`;
}[keyof Tree & string];

export type Namespace = keyof Catalog;
/** Key of a message in its own namespace, such as `fields.email`. */
export type MessageKey<N extends Namespace> = Keys<Catalog[N]>;
/** Key of a message with its namespace, such as `common:fields.email`. */
export type QualifiedKey = { [N in Namespace]: `${N}:${MessageKey<N>}` }[Namespace];

export type Tree = { [key: string]: string | Tree };
/** The messages loaded with a page, by namespace, and their language. */
export type Texts = { language: Language; dir: 'ltr' | 'rtl'; messages: Record<string, Tree> };
/** `count` selects the plural form, with `ordinal` that of "first, second". */
export type Values = Record<string, string | number | boolean | null | undefined> & {
  count?: number;
  ordinal?: boolean;
};

/**
 * Formats a message: dotted keys, `{{value}}` and plural forms as in i18next's JSON format, which a test verifies for
 * every message. Values are not escaped: React does that.
 * @param texts none on a page of the framework
 * @param namespace for keys that do not name one
 * @returns the key if there is no such message
 */
export function formatMessage(
  texts: Texts | undefined,
  namespace: Namespace,
  key: string,
  values: Values = {},
): string {
  const colon = key.indexOf(':');
  const path = key.slice(colon + 1);
  const parents = path.split('.');
  const last = parents.pop() ?? '';
  let place: Tree | string | undefined = texts?.messages[colon < 0 ? namespace : key.slice(0, colon)];
  for (const parent of parents) place = typeof place === 'object' ? place[parent] : undefined;
  const message =
    typeof place === 'object' ? (place[last + pluralForm(texts?.language, values)] ?? place[last]) : undefined;
  if (typeof message !== 'string') return path;
  return message.replace(/{{(\w+)}}/g, (_match, name: string) => String(values[name] ?? ''));
}

function pluralForm(language: Language | undefined, { count, ordinal = false }: Values): string {
  if (count === undefined) return '';
  const rules = new Intl.PluralRules(language, { type: ordinal ? 'ordinal' : 'cardinal' });
  return `${ordinal ? '_ordinal' : ''}_${rules.select(count)}`;
}
