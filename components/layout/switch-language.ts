import Router from 'next/router';
import { describeLanguage, languageQuery, type Language } from '@/lib/shared/i18n/languages';

/** Shows this page in another language; what was typed and opened on it stays. The server keeps the choice. */
export async function switchLanguage(field: HTMLSelectElement): Promise<void> {
  const lang = field.value as Language;
  const { pathname, searchParams, hash } = new URL(window.location.href);
  Object.values(languageQuery).forEach((name) => searchParams.delete(name));
  const shown = [pathname, searchParams.size > 0 && `?${searchParams.toString()}`, hash].filter(Boolean).join('');
  searchParams.set(languageQuery.lang, lang);
  const query = searchParams.toString();
  try {
    // False: another language was chosen meanwhile.
    if (!(await Router.replace(`${pathname}?${query}`, shown, { scroll: false }))) return;
  } catch {
    // A page that answers with an error has no data for the framework: load it.
    window.location.search = query;
    return;
  }
  Object.assign(document.documentElement, { lang, dir: describeLanguage(lang).dir });
}
