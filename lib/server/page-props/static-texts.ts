import type { GetStaticProps } from 'next';
import { loadPageTexts } from './load-page-texts';

/** How long a static page is served before it is revalidated, in seconds (docs/product.md#constants). */
const REVALIDATE_SECONDS = 1_800;

/** Texts of pages that work without the server's configuration. */
export const getStaticTexts: GetStaticProps = async () => ({
  props: await loadPageTexts('/404'),
  revalidate: REVALIDATE_SECONDS,
});
