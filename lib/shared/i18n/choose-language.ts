import type { Language } from './languages';

/**
 * Sources of a language, strongest first. All are untrusted input, and unknown, malformed or too long values are
 * ignored.
 */
export type LanguageSources = {
  /** Query parameter `lang`. */
  lang?: unknown;
  /** Query parameter `ui_locales` (OpenID Connect Core 1.0, section 3.1.2.1): tags in order of preference. */
  uiLocales?: unknown;
  /** The language that was chosen in this browser. */
  cookie?: unknown;
  /** The language that the signed-in learner has chosen. */
  account?: unknown;
  /** The header `Accept-Language` (RFC 9110, section 12.5.4). */
  acceptLanguage?: unknown;
  /** Default language of the origin. */
  origin?: unknown;
};

/** RFC 5646, section 4.4.1. The number of tags fits every browser. */
const MAX_TAG_LENGTH = 35;
const MAX_TAGS = 20;
const TAG = /^[a-z]{2,3}(?:-[a-z\d]{1,8})*$/i;

/**
 * Chooses the language of a response: the first source that names an enabled language.
 * @param enabled the enabled languages, with the default first
 * @returns `from`: the source, or null for the default
 */
export function chooseLanguage(
  { lang, uiLocales, cookie, account, acceptLanguage, origin }: LanguageSources,
  enabled: readonly [Language, ...Language[]],
): { language: Language; from: keyof LanguageSources | null } {
  const sources = {
    lang: toTags(lang),
    uiLocales: toTags(uiLocales, ' '),
    cookie: toTags(cookie),
    account: toTags(account),
    acceptLanguage: toRanges(acceptLanguage),
    origin: toTags(origin),
  };
  for (const [from, tags] of Object.entries(sources))
    for (const tag of tags) {
      const language = findLanguage(tag, enabled);
      if (language !== undefined) return { language, from: from as keyof LanguageSources };
    }
  return { language: enabled[0], from: null };
}

function toTags(value: unknown, separator?: string): string[] {
  if (typeof value !== 'string' || value.length > MAX_TAG_LENGTH * MAX_TAGS) return [];
  const tags = separator === undefined ? [value] : value.split(separator, MAX_TAGS);
  return tags.filter((tag) => tag.length <= MAX_TAG_LENGTH && TAG.test(tag));
}

/** Sorts tags by weight. Tags of the same weight keep their order. `q=0` refuses a language. */
function toRanges(header: unknown): string[] {
  if (typeof header !== 'string') return [];
  const ranges = header
    .slice(0, MAX_TAG_LENGTH * MAX_TAGS)
    .split(',', MAX_TAGS)
    .map((range) => {
      const [tag = '', weight = 'q=1'] = range.split(';').map((part) => part.trim());
      return { tag, weight: /^q=(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/i.test(weight) ? Number(weight.slice(2)) : 0 };
    });
  const wanted = ranges.filter(({ weight }) => weight > 0).sort((a, b) => b.weight - a.weight);
  return wanted.flatMap(({ tag }) => toTags(tag));
}

/** Finds the language of a tag, or else a tag of the same language: `pt` and `pt-PT` become `pt-BR`, not English. */
function findLanguage(tag: string, enabled: readonly Language[]): Language | undefined {
  const wanted = tag.toLowerCase();
  return (
    enabled.find((language) => language.toLowerCase() === wanted) ??
    enabled.find((language) => toPrimary(language) === toPrimary(wanted))
  );
}

const toPrimary = (tag: string) => tag.toLowerCase().split('-', 1)[0];
