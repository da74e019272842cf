import type { GetStaticProps } from 'next';
import { serverSideTranslations } from 'next-i18next/pages/serverSideTranslations';
import { namespacesFor } from '@/lib/shared/i18n/namespaces';
import { prepareTexts } from '@/lib/shared/i18n/complete';
import { describeLanguage, PSEUDO_LANGUAGE, SOURCE_LANGUAGE, type Language } from '@/lib/shared/i18n/languages';
import type { Texts, Tree } from '@/lib/shared/i18n/messages';

/** How long a static page is served before it is revalidated, in seconds (docs/product.md#constants). */
const REVALIDATE_SECONDS = 1_800;

/** The texts that a page receives. */
export type TextProps = { texts: Texts };

/**
 * Loads the texts of a page. Only these are sent to the browser: the other props of next-i18next contain its
 * configuration, including absolute paths of the server.
 * @param route a route of this app, without query
 */
export async function loadPageTexts(route: string, language: Language): Promise<TextProps> {
  // eslint-disable-next-line no-restricted-properties -- in these words, for the build to leave the import out
  if (process.env.NODE_ENV === 'development') await watchTexts(route);
  const folder = language === PSEUDO_LANGUAGE ? SOURCE_LANGUAGE : language;
  const { _nextI18Next } = await serverSideTranslations(folder, namespacesFor(route));
  // With the texts of the default locale, which i18next falls back to.
  const { [language]: own = {}, [SOURCE_LANGUAGE]: source = {} } = (_nextI18Next?.initialI18nStore ?? {}) as Partial<
    Record<Language, Record<string, Tree>>
  >;
  const messages = prepareTexts(language, own, source) as Texts['messages'];
  return { texts: { language, dir: describeLanguage(language).dir, messages } };
}

/** Texts of pages that work without the server's configuration. */
export const getStaticTexts: GetStaticProps = async () => ({
  props: await loadPageTexts('/404', SOURCE_LANGUAGE),
  revalidate: REVALIDATE_SECONDS,
});

/**
 * Adds the English text files to the page's modules for `next dev`, which then shows a changed text without a reload. Those of all
 * languages would also be modules of the build, whose ids get another digit beyond a number of them: 300 bytes in every first load.
 */
async function watchTexts(route: string): Promise<void> {
  await Promise.all(namespacesFor(route).map((name) => import(`@/locales/en/${name}.json`)));
}
