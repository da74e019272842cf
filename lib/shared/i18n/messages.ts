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
 * every message. Values are not escaped: React does that. In a right-to-left sentence they are isolated.
 * @param namespace for keys that do not name one
 * @returns the key if there is no such message
 */
export function formatMessage(
  { language, dir, messages }: Texts,
  namespace: Namespace,
  key: string,
  values: Values = {},
): string {
  const colon = key.indexOf(':');
  const path = key.slice(colon + 1);
  const parents = path.split('.');
  const last = parents.pop() ?? '';
  let place: Tree | string | undefined = messages[colon < 0 ? namespace : key.slice(0, colon)];
  for (const parent of parents) place = typeof place === 'object' ? place[parent] : undefined;
  const room = typeof place === 'object' ? place : {};
  // A message may have words for none, also where the language has no plural form for it.
  const none = values.count === 0 && !values.ordinal ? room[`${last}_zero`] : undefined;
  const message = none ?? room[last + pluralForm(language, values)] ?? room[last];
  if (typeof message !== 'string') return path;
  const show = dir === 'rtl' ? isolate : String;
  return message.replace(/{{(\w+)}}/g, (_match, name: string) => show(values[name] ?? ''));
}

/**
 * A name, code or address keeps its own direction and the order of the sentence around it (UAX #9, First Strong Isolate). Numbers need
 * nothing.
 */
export function isolate(value: unknown): string {
  return typeof value === 'string' ? `\u2068${value}\u2069` : String(value);
}

function pluralForm(language: Language, { count, ordinal = false }: Values): string {
  if (count === undefined) return '';
  const rules = new Intl.PluralRules(language, { type: ordinal ? 'ordinal' : 'cardinal' });
  return `${ordinal ? '_ordinal' : ''}_${rules.select(count)}`;
}
