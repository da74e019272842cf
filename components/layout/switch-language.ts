import Router from 'next/router';
import { languageQuery } from '@/lib/shared/i18n/languages';

/** Shows this page in another language; what was typed and opened on it stays. The server keeps the choice. */
export async function switchLanguage(field: HTMLSelectElement): Promise<void> {
  const { pathname, searchParams, hash } = new URL(window.location.href);
  Object.values(languageQuery).forEach((name) => searchParams.delete(name));
  const shown = [pathname, searchParams.size > 0 && `?${searchParams.toString()}`, hash].filter(Boolean).join('');
  searchParams.set(languageQuery.lang, field.value);
  const query = searchParams.toString();
  try {
    await Router.replace(`${pathname}?${query}`, shown, { scroll: false });
  } catch {
    // A page that answers with an error has no data for the framework: load it.
    window.location.search = query;
  }
}
