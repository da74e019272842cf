import type { GetServerSideProps, GetServerSidePropsContext, GetServerSidePropsResult, GetStaticProps } from 'next';
import { serverSideTranslations } from 'next-i18next/pages/serverSideTranslations';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { parse, type ParsedUrlQuery } from 'node:querystring';
import {
  appendCookies,
  applySharedComputerExpiry,
  arePasskeysOffered,
  buildSetCookie,
  chooseRequestLanguage,
  getRequestOrigin,
} from '@/lib/server/http';
import { providerUnavailable } from '@/lib/server/identity';
import {
  countPage,
  countRefusedCallback,
  env,
  getAppConfig,
  getPublicEnv,
  getTraceHeaders,
  log,
  runWithRequest,
  withTimeout,
} from '@/lib/server/runtime';
import { buildSignedOutCookie, getSessionCookie, requireSession, type LiveSession } from '@/lib/server/session';
import { getRecords, hasRecords, syncAccountLanguage, type Records } from '@/lib/server/storage';
import { validateCallback, type CallbackValidation } from '@/lib/shared/callback/rules';
import type { AppConfig, AppConfigState } from '@/lib/shared/config/app-config';
import { toPageConfig } from '@/lib/shared/config/brand-color';
import { getCallbackPolicy, type PublicEnv } from '@/lib/shared/config/public-env';
import { reportError } from '@/lib/shared/error-reporting/report';
import { chooseLanguage } from '@/lib/shared/i18n/choose-language';
import { prepareTexts } from '@/lib/shared/i18n/complete';
import {
  PSEUDO_LANGUAGE,
  SOURCE_LANGUAGE,
  describeLanguage,
  isVisitParameter,
  languageQuery,
  type Language,
} from '@/lib/shared/i18n/languages';
import type { Texts, Tree } from '@/lib/shared/i18n/messages';
import { namespacesFor } from '@/lib/shared/i18n/namespaces';
import { PAGE_QUERY_HEADER, getRequestId } from '@/lib/shared/request-headers';
import { paths, queryNames, type SessionPageName } from '@/lib/shared/paths';
import { ApiProblem, isApiProblem } from '@/lib/shared/problem';
import { promiseTimeout } from '@/lib/shared/promise-timeout';

export type PageContext = GetServerSidePropsContext;
/** What the loader of a page gives. */
export type Loading<P> = Promise<GetServerSidePropsResult<P>>;
type Context = Pick<PageContext, 'req' | 'res' | 'query'>;

/**
 * Keeps the language that the address names: the pages and emails that follow are in it, too.
 * @returns whether the address names one
 */
function keepAddressLanguage({ req, res, query }: Context): boolean {
  if (env().LOCALES.length === 1) return false;
  const { language, from } = chooseRequestLanguage(req, readAddress(query));
  if (from !== 'lang' && from !== 'uiLocales') return false;
  const cookie = buildSetCookie('language', language);
  appendCookies(res, applySharedComputerExpiry(req, [cookie]));
  return true;
}

/**
 * Whether shared caches may store a page without personal data: there is one language, or the proxy has chosen this one, and the
 * response says by which header (docs/deployment.md#languages). No cache knows what a browser's cookie and `Accept-Language` mean.
 */
function shareByLanguage({ req, res }: Pick<Context, 'req' | 'res'>): boolean {
  const { LOCALES, LANGUAGE_HEADER } = env();
  if (LOCALES.length === 1) return true;
  if (LANGUAGE_HEADER === undefined || req.headers[LANGUAGE_HEADER] === undefined) return false;
  res.setHeader('vary', LANGUAGE_HEADER);
  return true;
}

/**
 * The language of a page.
 * @param accountUid the learner that it is rendered for; null for a page of no account. The account follows what its browser has chosen,
 *   and a browser that has chosen nothing follows the account
 */
async function choosePageLanguage(
  { req, query }: Context,
  accountUid: string | null,
  config: AppConfig | null,
): Promise<Language> {
  const { LOCALES, LANGUAGE_HEADER } = env();
  if (LOCALES.length === 1) return LOCALES[0];
  const sources = { ...readAddress(query), origin: config?.defaultLanguage };
  const proxy = LANGUAGE_HEADER === undefined ? undefined : req.headers[LANGUAGE_HEADER];
  // In place of the cookie and the header that it was chosen from.
  if (proxy !== undefined && accountUid === null)
    return chooseLanguage({ ...sources, cookie: proxy }, LOCALES).language;
  const { language, from } = chooseRequestLanguage(req, sources);
  if (accountUid === null) return language;
  const chosen = from === 'lang' || from === 'uiLocales' || from === 'cookie' ? language : null;
  const account = await readRecords('the language of an account could not be read', (records) =>
    syncAccountLanguage(records, accountUid, chosen),
  );
  return chooseRequestLanguage(req, { ...sources, account }).language;
}

function readAddress(query: Context['query']) {
  return { lang: query[languageQuery.lang], uiLocales: query[languageQuery.uiLocales] };
}

/** How long a static page is served before it is revalidated, in seconds (docs/product.md#constants). */
const REVALIDATE_SECONDS = 1_800;

type TextProps = { texts: Texts };

/**
 * Loads the texts of a page. Only these are sent to the browser: the other props of next-i18next contain its
 * configuration, including absolute paths of the server.
 * @param route a route of this app, without query
 */
async function loadPageTexts(route: string, language: Language): Promise<TextProps> {
  // oxlint-disable-next-line no-restricted-properties -- in these words, for the build to leave the import out
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

type Props = Record<string, unknown>;
type SessionLoader<P extends Props> = (session: LiveSession, context: PageContext) => Loading<P>;

/** Replaces a page's own props while the session cannot be checked. */
export type Unavailable = { unavailable: true };

/**
 * Loader of a page that needs a session. Visitors without a live one are redirected to sign-in, and return to the page
 * by its name (docs/product.md#callbacks). While the session cannot be checked, the response is 503 and the page says
 * so. The page gets `accountUid`, which its calls name (docs/security.md, `stale-tab`).
 * @param name the page's name in `return_to`
 * @param load loads the page's props, for the learner of the live session
 */
export function requireSessionPage<P extends Props = Props>(name: SessionPageName, load?: SessionLoader<P>) {
  return async (context: PageContext): Loading<P | Props | Unavailable> => {
    const session = await getLiveSession(context);
    if (isApiProblem(session)) return redirectToSignIn(name, context, session);
    const loaded = load ? await load(session, context) : { props: {} };
    return 'props' in loaded ? { props: { ...(await loaded.props), accountUid: session.status.uid } } : loaded;
  };
}

async function getLiveSession({ req }: PageContext): Promise<LiveSession | ApiProblem> {
  try {
    return await requireSession(req);
  } catch (error) {
    if (isApiProblem(error)) return error;
    throw error;
  }
}

function redirectToSignIn(
  name: SessionPageName,
  { query: asked, req, res }: PageContext,
  { status, options }: ApiProblem,
): GetServerSidePropsResult<Unavailable> {
  if (status !== 401) {
    res.statusCode = 503;
    res.setHeader('retry-after', String(options.retryAfter ?? 5));
    return { props: { unavailable: true } };
  }
  const query = new URLSearchParams([[queryNames.returnTo, name], ...listQuery(asked, isVisitParameter)]);
  if (getSessionCookie(req) !== null) {
    // The browser had a session: clear its signed-in cookie and notify the learner.
    appendCookies(res, [buildSignedOutCookie()]);
    query.set(queryNames.notification, 'AutoSignOut');
  }
  return redirectTo(`${paths.signIn}?${query.toString()}`);
}

/** The parameters of a page's address that are kept. */
export function listQuery(query: ParsedUrlQuery, isKept: (name: string) => boolean): [name: string, value: string][] {
  return Object.entries(query).flatMap(([name, value = []]) =>
    isKept(name) ? [value].flat().map((each): [string, string] => [name, each]) : [],
  );
}

export function redirectTo(destination: string) {
  return { redirect: { destination, permanent: false } } as const;
}

/** By GET also after a form (303). */
export function redirectByGet(destination: string) {
  return { redirect: { destination, statusCode: 303 } } as const;
}

/** Validates a URL requested as a callback. Refusals are counted for the operator (docs/product.md#callbacks). */
export function validateRequestedCallback(input: unknown): CallbackValidation {
  const validation = validateCallback(input, getCallbackPolicy(getPublicEnv()));
  if (!validation.accepted && validation.reason !== 'missing') countRefusedCallback(validation.reason);
  return validation;
}

/** Caching of pages and config responses without personal data (docs/deployment.md#shared-caches). */
export const SHARED_CACHE_CONTROL = 's-maxage=300, stale-while-revalidate=59';
const PERSONAL_CACHE_CONTROL = 'private, no-store';

/** How long a page waits for its config before the browser fetches it, in milliseconds. */
const CONFIG_TIMEOUT_MS = 400;

export type PageProps = TextProps & { publicEnv: PublicEnv; appConfig: AppConfigState };

type Loaded = Record<string, unknown>;
/** Loads a page's additional props; null means that this response holds no personal data and may be cached publicly. */
type Loader<P extends Loaded> = (context: PageContext) => Promise<GetServerSidePropsResult<P> | null>;

type PageOptions = {
  /**
   * Gets all of the origin's app config: `/sign-in`, `/registration`, the pages below them, and `/sign-out` only. Other pages get
   * its links. `in-time`: the page goes without it rather than show a loader, which never ends without JavaScript.
   */
  appConfig?: true | 'in-time';
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
    const appConfig = options.appConfig ? toWholeConfig(config, options.appConfig) : toLinks(config);
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
async function getFailureProps(context: PageContext, error: unknown): Promise<TextProps & Unavailable> {
  if (isEnglishOnly()) throw error;
  reportError(error, { during: 'loading a page' });
  context.res.statusCode = 500;
  return { ...(await loadDeadEnd(context)), unavailable: true };
}

async function loadDeadEnd(context: PageContext): Promise<TextProps> {
  context.res.setHeader('cache-control', PERSONAL_CACHE_CONTROL);
  return loadPageTexts('/404', await choosePageLanguage(context, null, null));
}

/** The query of the visitor's address. */
function readQuery({ query, req }: Pick<PageContext, 'query' | 'req'>): ParsedUrlQuery {
  const taken = req.headers[PAGE_QUERY_HEADER];
  return typeof taken === 'string' ? parse(taken.slice(1)) : query;
}

/** A page whose config timed out or failed is served, but not cached. */
function isComplete(appConfig: AppConfigState): boolean {
  return appConfig.status === 'none' || (appConfig.status === 'ready' && appConfig.config !== null);
}

type LoadedConfig = AppConfig | 'late' | 'failed' | null;

function toWholeConfig(loaded: LoadedConfig, wanted: true | 'in-time'): AppConfigState {
  if (loaded === 'late' && wanted === true) return { status: 'late' };
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
    return await withTimeout(getAppConfig(origin), CONFIG_TIMEOUT_MS, () => 'late' as const);
  } catch (error) {
    reportError(error, { during: 'loading the app config' });
    return 'failed';
  }
}

/**
 * Sends the app config of an origin as an API response, with shared caching.
 * @throws ApiProblem `not-found` for an unknown origin, 503 when the identity host does not respond; that is reported
 */
export async function sendAppConfig(origin: string, res: ServerResponse): Promise<AppConfig> {
  const appConfig = await getAppConfig(origin).catch((error: unknown) => {
    reportError(error, { during: 'loading the app config' });
    throw providerUnavailable(error);
  });
  if (appConfig === null) throw new ApiProblem('not-found');
  res.setHeader('cache-control', SHARED_CACHE_CONTROL);
  return appConfig;
}

/** How long a page waits for the database, in milliseconds. */
const RECORDS_TIMEOUT_MS = 2_000;

/** What a page shows of the records; null: this deployment, or this origin, has none. */
export type Recorded<T> = T | 'unavailable' | null;

/**
 * Reads what a page shows of the records: the page itself does not fail with them.
 * @param warning log line when they cannot be read in time
 */
export async function readRecords<T>(warning: string, read: (records: Records) => Promise<T>): Promise<Recorded<T>> {
  if (!hasRecords()) return null;
  try {
    return await promiseTimeout(getRecords().then(read), RECORDS_TIMEOUT_MS);
  } catch (error) {
    log().warn({ err: error }, warning);
    return 'unavailable';
  }
}
