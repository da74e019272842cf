import { queryNames } from '@/lib/shared/paths';

/** `name`: as its readers write it; `dir`: of its script; `comma`: between the items of a list. */
type Spec = { name: string; dir: 'ltr' | 'rtl'; comma: string };

/** Every language that this product has texts in, by its folder of `locales/`. Which of them are on says `LOCALES`. */
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

/** A BCP 47 tag (RFC 5646), and a folder of `locales/` or the pseudo-language. */
export type Language = keyof typeof LANGUAGES;

/**
 * English with accents, and longer by more than half: tests and development see in it what a translation would lose. It is made when it is
 * read, and no language of the product.
 */
export const PSEUDO_LANGUAGE = 'en-XA' satisfies Language;

/** The language that texts are written in first: what others lack is shown in it. */
export const SOURCE_LANGUAGE = 'en' satisfies Language;

export const languages = (Object.keys(LANGUAGES) as Language[]).filter((language) => language !== PSEUDO_LANGUAGE);

export function isLanguage(value: string): value is Language {
  return Object.hasOwn(LANGUAGES, value);
}

export function describeLanguage(language: Language): Spec {
  return LANGUAGES[language];
}

/** Of dates and numbers: codes and addresses have western digits, so these have them in Arabic, too. */
export function getDateLocale(language: Language): string {
  return `${language}-u-nu-latn`;
}

/** Language of pages and emails; later pages of this browser are in it, too. `uiLocales`: as OpenID Connect names it. */
export const languageQuery = { lang: 'lang', uiLocales: 'ui_locales' } as const;

/** What a visit asks for on whichever page it ends: redirects between our pages keep it. */
export function isVisitParameter(name: string): boolean {
  const kept: string[] = [queryNames.theme, queryNames.notification, ...Object.values(languageQuery)];
  return name.startsWith('utm_') || kept.includes(name);
}
