import Router from 'next/router';
import { languageQuery } from '@/lib/shared/i18n/languages';

/** Shows this page in another language, and keeps typed input and open parts. The server stores the choice. */
export async function switchLanguage(field: HTMLSelectElement): Promise<void> {
  const { pathname, searchParams, hash } = new URL(window.location.href);
  Object.values(languageQuery).forEach((name) => searchParams.delete(name));
  const shown = [pathname, searchParams.size > 0 && `?${searchParams.toString()}`, hash].filter(Boolean).join('');
  searchParams.set(languageQuery.lang, field.value);
  const query = searchParams.toString();
  try {
    await Router.replace(`${pathname}?${query}`, shown, { scroll: false });
  } catch {
    // An error page has no data for the framework, so load the page.
    window.location.search = query;
  }
}
