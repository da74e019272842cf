import type { GetStaticProps } from 'next';
import { serverSideTranslations } from 'next-i18next/pages/serverSideTranslations';
import { namespacesFor } from './namespaces';

/** How long a static page is served before it is made anew, in seconds (specification, section 9). */
const REVALIDATION = 1_800;

/** Texts for pages that stand without the server's configuration. */
export const staticTexts: GetStaticProps = async () => ({
  props: await serverSideTranslations('en', namespacesFor('/404')),
  revalidate: REVALIDATION,
});
