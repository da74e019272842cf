import type { GetServerSideProps, GetServerSidePropsContext, GetServerSidePropsResult } from 'next';
import { serverSideTranslations } from 'next-i18next/pages/serverSideTranslations';
import { publicEnv } from '@/lib/config/env';
import type { AppConfigState } from '@/lib/config/app-config';
import type { PublicEnv } from '@/lib/config/public-env';
import { namespacesFor } from '@/lib/i18n/namespaces';

/** Caching of pages and config answers that hold nothing personal (specification, section 9). */
export const SHARED_CACHE_CONTROL = 's-maxage=300, stale-while-revalidate=59';

/** What every page receives. */
export type PageProps = { publicEnv: PublicEnv; appConfig: AppConfigState };

type Loaded = Record<string, unknown>;
type Loader<P extends Loaded> = (context: GetServerSidePropsContext) => Promise<GetServerSidePropsResult<P>>;

type PageOptions = {
  /** Reads the app config of the request's origin: the sign-in, sign-up and enterprise pages only. */
  appConfig?: boolean;
};

/**
 * Builds a page's `getServerSideProps`: texts by route, public configuration, app config, caching.
 * @param route the page's own path, which decides its text namespaces
 * @param load what the page needs besides; a redirect or not-found from it wins
 */
export function servePage<P extends Loaded = Loaded>(
  route: string,
  options: PageOptions = {},
  load?: Loader<P>,
): GetServerSideProps<PageProps & Loaded> {
  return async (context) => {
    context.res.setHeader('cache-control', load ? 'private, no-store' : SHARED_CACHE_CONTROL);
    const [texts, appConfig, loaded] = await Promise.all([
      serverSideTranslations('en', namespacesFor(route)),
      Promise.resolve<AppConfigState>({ status: options.appConfig ? 'late' : 'none' }),
      load?.(context),
    ]);
    if (loaded && !('props' in loaded)) return loaded;
    const own = loaded ? await loaded.props : {};
    return { props: { ...texts, publicEnv: publicEnv(), appConfig, ...own } };
  };
}
