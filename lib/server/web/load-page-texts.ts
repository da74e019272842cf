import type { GetStaticProps } from 'next';
import { serverSideTranslations } from 'next-i18next/pages/serverSideTranslations';
import { namespacesFor } from '@/lib/shared/i18n/namespaces';
import { LANGUAGE, type Messages } from '@/lib/shared/i18n/messages';

/** How long a static page is served before it is revalidated, in seconds (docs/product.md#constants). */
const REVALIDATE_SECONDS = 1_800;

/** The texts that a page receives. */
export type TextProps = { texts: Messages };

/**
 * Loads the texts of a page. Only these are sent to the browser: the other props of next-i18next contain its
 * configuration, including absolute paths of the server.
 * @param route a route of this app, without query
 */
export async function loadPageTexts(route: string): Promise<TextProps> {
  // eslint-disable-next-line no-restricted-properties -- in these words, for the build to leave the import out
  if (process.env.NODE_ENV === 'development') await watchTexts(route);
  const { _nextI18Next } = await serverSideTranslations(LANGUAGE, namespacesFor(route));
  return { texts: (_nextI18Next?.initialI18nStore as Record<string, Messages> | undefined)?.[LANGUAGE] ?? {} };
}

/** Texts of pages that work without the server's configuration. */
export const getStaticTexts: GetStaticProps = async () => ({
  props: await loadPageTexts('/404'),
  revalidate: REVALIDATE_SECONDS,
});

/** Adds the text files to the page's modules for `next dev`, which then shows a changed text without a reload. */
async function watchTexts(route: string): Promise<void> {
  await Promise.all(namespacesFor(route).map((name) => import(`@/locales/en/${name}.json`)));
}
