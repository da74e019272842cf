import type { i18n } from 'i18next';
import type { SSRConfig } from 'next-i18next/pages';
import { useMemo } from 'react';

type Texts = { [key: string]: string | Texts };
type Store = Record<string, Record<string, Texts>>;
type Values = Record<string, string | number | undefined> & { count?: number };

/**
 * Reads the texts that came with a page: keys, values, plurals, as i18next does, which a test holds for every text.
 * The whole of i18next would be a tenth of a page's first load (docs/adr/0019).
 */
export class PageTexts {
  readonly isInitialized = true;
  readonly options = {};
  readonly languages: string[];

  /** @param namespaces by name, in one language: there is no other (specification, section 2) */
  constructor(
    readonly language: string,
    private readonly namespaces: Record<string, Texts> = {},
  ) {
    this.languages = [language];
  }

  getFixedT(_language: string, namespace: string) {
    return (key: string, values: Values = {}): string => {
      const cut = key.indexOf(':');
      const path = key.slice(cut + 1);
      return fill(this.find(cut < 0 ? namespace : key.slice(0, cut), path, values.count) ?? path, values);
    };
  }

  private find(namespace: string, path: string, count: number | undefined): string | undefined {
    const rooms = path.split('.');
    const last = rooms.pop() ?? '';
    let place: Texts | string | undefined = this.namespaces[namespace];
    for (const room of rooms) place = typeof place === 'object' ? place[room] : undefined;
    if (typeof place !== 'object') return undefined;
    const plural = count === undefined ? '' : `_${new Intl.PluralRules(this.language).select(count)}`;
    const text = place[last + plural] ?? place[last];
    return typeof text === 'string' ? text : undefined;
  }

  hasLoadedNamespace(namespace: string): boolean {
    return this.namespaces[namespace] !== undefined;
  }

  /** The language never changes: there is nobody to tell. */
  on(): void {}
  off(): void {}
}

function fill(text: string, values: Values): string {
  return text.replace(/{{(\w+)}}/g, (_place, name: string) => String(values[name] ?? ''));
}

/** The texts of the page at hand, for react-i18next's provider. */
export function usePageTexts(loaded: Partial<SSRConfig>['_nextI18Next']): i18n {
  return useMemo(() => {
    const language = loaded?.initialLocale ?? 'en';
    const texts = new PageTexts(language, loaded ? (loaded.initialI18nStore as Store)[language] : undefined);
    // Of i18next's many faces the hook of the screens asks for these alone.
    return texts as unknown as i18n;
  }, [loaded]);
}
