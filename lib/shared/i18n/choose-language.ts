import type { Language } from './languages';

/** Where a language can come from, strongest first. All of it is input: what is unknown, malformed or too long is ignored. */
export type LanguageSources = {
  /** `lang` of the address. */
  lang?: unknown;
  /** `ui_locales` of the address (OpenID Connect Core 1.0, section 3.1.2.1): tags in the order of preference. */
  uiLocales?: unknown;
  /** What this browser has chosen before. */
  cookie?: unknown;
  /** What the signed-in learner has chosen before. */
  account?: unknown;
  /** The header `Accept-Language` (RFC 9110, section 12.5.4). */
  acceptLanguage?: unknown;
  /** The default of the origin. */
  origin?: unknown;
};

/** RFC 5646, section 4.4.1, and as many tags as a browser sends. */
const MAX_TAG_LENGTH = 35;
const MAX_TAGS = 20;
const TAG = /^[a-z]{2,3}(?:-[a-z\d]{1,8})*$/i;

/**
 * The language of a response: that of the first source that names one which is on.
 * @param enabled the languages that are on; the first one is the default
 * @returns `from`: the source; null for the default
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

/** Tags by their weight; those of the same weight stay in their order. `q=0` refuses a language. */
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

/** The same tag, else one of the same language: `pt` and `pt-PT` are `pt-BR` rather than English. */
function findLanguage(tag: string, enabled: readonly Language[]): Language | undefined {
  const wanted = tag.toLowerCase();
  return (
    enabled.find((language) => language.toLowerCase() === wanted) ??
    enabled.find((language) => toPrimary(language) === toPrimary(wanted))
  );
}

const toPrimary = (tag: string) => tag.toLowerCase().split('-', 1)[0];
