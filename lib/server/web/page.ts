import type { GetServerSideProps, GetServerSidePropsContext, GetServerSidePropsResult } from 'next';
import type { IncomingMessage } from 'node:http';
import { parse, type ParsedUrlQuery } from 'node:querystring';
import type { AppConfig, AppConfigState } from '@/lib/shared/config/app-config';
import { toPageConfig } from '@/lib/shared/config/brand-color';
import { env, getPublicEnv, getAppConfig, countPage, getTraceHeaders, runWithRequest } from '@/lib/server/runtime';
import type { PublicEnv } from '@/lib/shared/config/public-env';
import { SOURCE_LANGUAGE } from '@/lib/shared/i18n/languages';
import { choosePageLanguage, shareByLanguage, keepAddressLanguage } from './page-language';
import { loadPageTexts, type TextProps } from './load-page-texts';
import { PAGE_QUERY_HEADER } from '@/lib/shared/page-query';
import { queryNames } from '@/lib/shared/paths';
import { promiseTimeout } from '@/lib/shared/promise-timeout';
import { reportError } from '@/lib/shared/error-reporting/report';
import { validateRequestedCallback } from './requested-callback';
import { getRequestId } from '@/lib/shared/request-id';
import { getRequestOrigin, arePasskeysOffered } from '@/lib/server/http';
import type { Unavailable } from './session-page';

/** Caching of pages and config responses without personal data (docs/product.md#constants). */
export const SHARED_CACHE_CONTROL = 's-maxage=300, stale-while-revalidate=59';
const PERSONAL_CACHE_CONTROL = 'private, no-store';

/** How long a page waits for its config before the browser fetches it, in milliseconds. */
const CONFIG_TIMEOUT_MS = 400;

/** Props of every page. */
export type PageProps = TextProps & { publicEnv: PublicEnv; appConfig: AppConfigState };

type Loaded = Record<string, unknown>;
/** Loads a page's additional props; null means that this response holds no personal data and may be cached publicly. */
export type Loader<P extends Loaded> = (
  context: GetServerSidePropsContext,
) => Promise<GetServerSidePropsResult<P> | null>;

type PageOptions = {
  /**
   * Gets all of the origin's app config: `/sign-in`, `/registration`, the pages below them, and `/sign-out` only. Other pages get
   * its links.
   */
  appConfig?: boolean;
};

/**
 * Builds a page's `getServerSideProps`: texts by route, public configuration, app config, caching.
 * @param route the page's own path, which decides its text namespaces
 * @param load loads additional props; a redirect or not-found from it wins
 */
export function createPageProps<P extends Loaded = Loaded>(
  route: string,
  options: PageOptions = {},
  load?: Loader<P>,
): GetServerSideProps<(PageProps & Loaded) | (TextProps & Unavailable)> {
  const getProps: GetServerSideProps<PageProps & Loaded> = async (context) => {
    const begin = performance.now();
    const visit = { ...context, query: readQuery(context) };
    validateRequestedCallback(visit.query[queryNames.redirectUri]);
    // Private by default, until the response is known to hold no personal data.
    context.res.setHeader('cache-control', PERSONAL_CACHE_CONTROL);
    const isLanguageKept = keepAddressLanguage(visit);
    const [config, loaded] = await Promise.all([loadAppConfig(context.req), load?.(context)]);
    countPage(route, (performance.now() - begin) / 1000);
    if (loaded && !('props' in loaded)) return loaded;
    const appConfig = options.appConfig ? toWholeConfig(config) : toLinks(config);
    // The framework writes the query into the page: a cache may leave it out of its key.
    const isForAll = !loaded && !isLanguageKept && Object.keys(context.query).length === 0;
    if (isForAll && shareByLanguage(context) && isComplete(appConfig))
      context.res.setHeader('cache-control', SHARED_CACHE_CONTROL);
    const own: Loaded = loaded ? await loaded.props : {};
    const accountUid = typeof own.accountUid === 'string' ? own.accountUid : null;
    const language = await choosePageLanguage(visit, accountUid, typeof config === 'object' ? config : null);
    const texts = await loadPageTexts(route, language);
    const publicEnv = { ...getPublicEnv(), passkeys: arePasskeysOffered(context.req) };
    return { props: { ...texts, publicEnv, appConfig, ...own } };
  };
  return (context) => {
    const { headers } = context.req;
    // The middleware has set it.
    const requestId = getRequestId([headers['x-request-id']].flat()[0], true);
    return runWithRequest(headers, requestId, () => {
      // For an error that the framework reports after the request (instrumentation.ts).
      Object.assign(headers, getTraceHeaders());
      return getProps(context).catch(async (error: unknown) => ({ props: await getFailureProps(context, error) }));
    });
  };
}

/** Whether the static pages of the framework, which are English, are in the language of every visitor. */
const isEnglishOnly = () => env().LOCALES.every((language) => language === SOURCE_LANGUAGE);

/** A path that is no page: says so in the visitor's language. */
export const getUnknownPageProps: GetServerSideProps<TextProps> = async (context) => {
  if (isEnglishOnly()) return { notFound: true };
  context.res.statusCode = 404;
  return { props: await loadDeadEnd(context) };
};

/** A page that failed. @throws unless its visitors may have another language than the framework's own page */
async function getFailureProps(context: GetServerSidePropsContext, error: unknown): Promise<TextProps & Unavailable> {
  if (isEnglishOnly()) throw error;
  reportError(error, { during: 'loading a page' });
  context.res.statusCode = 500;
  return { ...(await loadDeadEnd(context)), unavailable: true };
}

async function loadDeadEnd(context: GetServerSidePropsContext): Promise<TextProps> {
  context.res.setHeader('cache-control', PERSONAL_CACHE_CONTROL);
  return loadPageTexts('/404', await choosePageLanguage(context, null, null));
}

/** The query of the visitor's address. */
function readQuery({ query, req }: Pick<GetServerSidePropsContext, 'query' | 'req'>): ParsedUrlQuery {
  const taken = req.headers[PAGE_QUERY_HEADER];
  return typeof taken === 'string' ? parse(taken.slice(1)) : query;
}

/** A page whose config timed out or failed is served, but not cached. */
function isComplete(appConfig: AppConfigState): boolean {
  return appConfig.status === 'none' || (appConfig.status === 'ready' && appConfig.config !== null);
}

type LoadedConfig = AppConfig | 'late' | 'failed' | null;

function toWholeConfig(loaded: LoadedConfig): AppConfigState {
  if (loaded === 'late') return { status: 'late' };
  return { status: 'ready', config: typeof loaded === 'object' && loaded ? toPageConfig(loaded) : null };
}

/** The links of the origin, for the footer. A page goes without them rather than show a loader, but is not cached then. */
function toLinks(loaded: LoadedConfig): AppConfigState {
  if (loaded === null) return { status: 'none' };
  if (typeof loaded === 'string') return { status: 'ready', config: null };
  const links = (['termsUrl', 'privacyUrl', 'supportUrl'] as const).map((name) => [name, loaded[name]] as const);
  // A page's props cannot be undefined.
  return { status: 'ready', config: Object.fromEntries(links.filter(([, url]) => url !== undefined)) };
}

/** @returns null for an unknown origin */
async function loadAppConfig(req: IncomingMessage): Promise<LoadedConfig> {
  const origin = getRequestOrigin(req);
  if (origin === null) return null;
  try {
    return await promiseTimeout(getAppConfig(origin), CONFIG_TIMEOUT_MS);
  } catch (error) {
    if (error instanceof Error && error.message === 'timeout!') return 'late';
    reportError(error, { during: 'loading the app config' });
    return 'failed';
  }
}
