import { queryNames } from '@/lib/shared/paths';

/** `name`: the language's name for itself. `dir`: direction of its script. `comma`: separator of list items. */
type Spec = { name: string; dir: 'ltr' | 'rtl'; comma: string };

/** All languages of this product, by their folder in `locales/`. `LOCALES` turns them on. */
const LANGUAGES = {
  en: { name: 'English', dir: 'ltr', comma: ', ' },
  es: { name: 'Español', dir: 'ltr', comma: ', ' },
  'pt-BR': { name: 'Português (Brasil)', dir: 'ltr', comma: ', ' },
  fr: { name: 'Français', dir: 'ltr', comma: ', ' },
  de: { name: 'Deutsch', dir: 'ltr', comma: ', ' },
  ar: { name: 'العربية', dir: 'rtl', comma: '، ' },
  ja: { name: '日本語', dir: 'ltr', comma: '、' },
  'en-XA': { name: 'Pseudo-English', dir: 'ltr', comma: ', ' },
} as const satisfies Record<string, Spec>;

/** A BCP 47 tag (RFC 5646) of the pseudo-language or of a folder in `locales/`. */
export type Language = keyof typeof LANGUAGES;

/**
 * English with accents, more than half as long again. It shows developers and tests where a translation would break the
 * layout. It is generated when it is read, and is not a language of the product.
 */
export const PSEUDO_LANGUAGE = 'en-XA' satisfies Language;

/** Texts are written in this language first. Pages show it for texts that another language lacks. */
export const SOURCE_LANGUAGE = 'en' satisfies Language;

export const languages = (Object.keys(LANGUAGES) as Language[]).filter((language) => language !== PSEUDO_LANGUAGE);

export function isLanguage(value: string): value is Language {
  return Object.hasOwn(LANGUAGES, value);
}

export function describeLanguage(language: Language): Spec {
  return LANGUAGES[language];
}

/**
 * Returns the locale for dates and numbers. It uses western digits, even in Arabic, because codes have western digits.
 */
export function getDateLocale(language: Language): string {
  return `${language}-u-nu-latn`;
}

/** Query parameters that set the language of this page, its emails and later pages. OpenID Connect defines `uiLocales`. */
export const languageQuery = { lang: 'lang', uiLocales: 'ui_locales' } as const;

/** Whether redirects between our pages keep a query parameter, because it applies to the whole visit. */
export function isVisitParameter(name: string): boolean {
  const kept: string[] = [queryNames.theme, queryNames.notification, ...Object.values(languageQuery)];
  return name.startsWith('utm_') || kept.includes(name);
}
