import type { GetServerSideProps, GetServerSidePropsContext, GetServerSidePropsResult } from 'next';
import type { IncomingMessage } from 'node:http';
import { serverSideTranslations } from 'next-i18next/pages/serverSideTranslations';
import type { AppConfigState } from '@/lib/config/app-config';
import { pageConfigOf } from '@/lib/config/brand-colour';
import { publicEnv } from '@/lib/config/env';
import type { PublicEnv } from '@/lib/config/public-env';
import { namespacesFor } from '@/lib/i18n/namespaces';
import { queryNames } from '@/lib/paths';
import { promiseTimeout } from '@/lib/promise-timeout';
import { reportError } from '@/lib/sentry/report';
import { appConfigOf } from './app-config';
import { judgeAskedCallback } from './callbacks';
import { countPage } from './counters';
import { requestOrigin } from './request-origin';

/** Caching of pages and config answers that hold nothing personal (specification, section 9). */
export const SHARED_CACHE_CONTROL = 's-maxage=300, stale-while-revalidate=59';
const PERSONAL_CACHE_CONTROL = 'private, no-store';

/** How long a page waits for its config before the browser is left to fetch it, in milliseconds. */
const CONFIG_BUDGET = 400;

/** What every page receives. */
export type PageProps = { publicEnv: PublicEnv; appConfig: AppConfigState };

type Loaded = Record<string, unknown>;
/** What a page needs besides; null says that this answer holds nothing personal and may be cached for everybody. */
export type Loader<P extends Loaded> = (
  context: GetServerSidePropsContext,
) => Promise<GetServerSidePropsResult<P> | null>;

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
    const begin = performance.now();
    judgeAskedCallback(context.query[queryNames.redirectUri]);
    // Until the answer is known to be for everybody, it is for nobody's cache.
    context.res.setHeader('cache-control', PERSONAL_CACHE_CONTROL);
    const [texts, appConfig, loaded] = await Promise.all([
      serverSideTranslations('en', namespacesFor(route)),
      options.appConfig ? prefetchAppConfig(context.req) : Promise.resolve<AppConfigState>({ status: 'none' }),
      load?.(context),
    ]);
    countPage(route, (performance.now() - begin) / 1000);
    if (loaded && !('props' in loaded)) return loaded;
    if (!loaded && isComplete(appConfig)) context.res.setHeader('cache-control', SHARED_CACHE_CONTROL);
    const own = loaded ? await loaded.props : {};
    return { props: { ...texts, publicEnv: publicEnv(), appConfig, ...own } };
  };
}

/** A page whose config is late or failed is served, but not kept. */
function isComplete(appConfig: AppConfigState): boolean {
  return appConfig.status === 'none' || (appConfig.status === 'ready' && appConfig.config !== null);
}

async function prefetchAppConfig(req: IncomingMessage): Promise<AppConfigState> {
  const origin = requestOrigin(req);
  if (origin === null) return { status: 'ready', config: null };
  try {
    const config = await promiseTimeout(appConfigOf(origin), CONFIG_BUDGET);
    return { status: 'ready', config: config && pageConfigOf(config) };
  } catch (error) {
    if (error instanceof Error && error.message === 'timeout!') return { status: 'late' };
    reportError(error, { during: 'loading the app config' });
    return { status: 'ready', config: null };
  }
}
