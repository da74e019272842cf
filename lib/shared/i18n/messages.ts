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
/** `count` selects the plural form. `ordinal` selects the form of "first, second". */
export type Values = Record<string, string | number | boolean | null | undefined> & {
  count?: number;
  ordinal?: boolean;
};

/**
 * Formats a message with dotted keys, `{{value}}` and plural forms, as in i18next's JSON format. A test verifies this
 * for every message. Values are not escaped, because React does that.
 * @param texts undefined on a page of the framework
 * @param namespace for keys without a namespace
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

/* oxlint-disable typescript/consistent-type-imports -- a file is named once, where its namespace is */
/**
 * Contents of the locale files, by namespace. Types of message keys come from it. Emails have their own texts
 * (mail.json).
 */
type Catalog = {
  'account-settings': typeof import('@/locales/en/account-settings.json');
  actions: typeof import('@/locales/en/actions.json');
  'add-passkey': typeof import('@/locales/en/add-passkey.json');
  'app-shell': typeof import('@/locales/en/app-shell.json');
  bounced: typeof import('@/locales/en/bounced.json');
  common: typeof import('@/locales/en/common.json');
  'confirmation-password': typeof import('@/locales/en/confirmation-password.json');
  courses: typeof import('@/locales/en/courses.json');
  'current-password': typeof import('@/locales/en/current-password.json');
  dashboard: typeof import('@/locales/en/dashboard.json');
  'email-link': typeof import('@/locales/en/email-link.json');
  enterprise: typeof import('@/locales/en/enterprise.json');
  'forget-password': typeof import('@/locales/en/forget-password.json');
  instructions: typeof import('@/locales/en/instructions.json');
  'keep-account': typeof import('@/locales/en/keep-account.json');
  'link-account': typeof import('@/locales/en/link-account.json');
  mobile: typeof import('@/locales/en/mobile.json');
  'account-name': typeof import('@/locales/en/account-name.json');
  'new-password': typeof import('@/locales/en/new-password.json');
  'not-found': typeof import('@/locales/en/not-found.json');
  'one-time-code': typeof import('@/locales/en/one-time-code.json');
  partner: typeof import('@/locales/en/partner.json');
  passkeys: typeof import('@/locales/en/passkeys.json');
  problems: typeof import('@/locales/en/problems.json');
  registration: typeof import('@/locales/en/registration.json');
  'registration-confirm': typeof import('@/locales/en/registration-confirm.json');
  'registration-success': typeof import('@/locales/en/registration-success.json');
  'reset-password': typeof import('@/locales/en/reset-password.json');
  'reset-password-init': typeof import('@/locales/en/reset-password-init.json');
  'second-factor': typeof import('@/locales/en/second-factor.json');
  security: typeof import('@/locales/en/security.json');
  'self-check': typeof import('@/locales/en/self-check.json');
  'set-up-second-factor': typeof import('@/locales/en/set-up-second-factor.json');
  providers: typeof import('@/locales/en/providers.json');
  'sign-in': typeof import('@/locales/en/sign-in.json');
  'sign-out': typeof import('@/locales/en/sign-out.json');
  'two-step-verification': typeof import('@/locales/en/two-step-verification.json');
};
