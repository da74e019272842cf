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
import {
  buildSignedOutCookie,
  digestDevice,
  getSessionCookie,
  readDevice,
  requireSession,
  syncAccountLanguage,
  type LiveSession,
} from '@/lib/server/session';
import { getRecords, type Records } from '@/lib/server/storage';
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
import { findPageNotification, type PageNotification } from '@/lib/shared/page-notifications';
import { paths, queryNames, type SessionPageName } from '@/lib/shared/paths';
import { SUPPORT_PAGE } from '@/lib/shared/support/desk';
import { ApiProblem, isApiProblem } from '@/lib/shared/problem';
import { promiseTimeout } from '@/lib/shared/promise-timeout';

export type PageContext = GetServerSidePropsContext;
/** The result of a page's loader. */
export type Loading<P> = Promise<GetServerSidePropsResult<P>>;
type Context = Pick<PageContext, 'req' | 'res' | 'query'>;

/**
 * Stores the language of the URL in a cookie, so that later pages and emails use it, too.
 * @returns whether the URL has a language
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
 * Whether shared caches may store a page without personal data. This needs a single language, or a proxy that has
 * chosen the language, and then the response names the proxy's header (docs/deploy/languages.md). A cache cannot
 * evaluate a browser's cookie and `Accept-Language`.
 */
function shareByLanguage({ req, res }: Pick<Context, 'req' | 'res'>): boolean {
  const { LOCALES, LANGUAGE_HEADER } = env();
  if (LOCALES.length === 1) return true;
  if (LANGUAGE_HEADER === undefined || req.headers[LANGUAGE_HEADER] === undefined) return false;
  res.setHeader('vary', LANGUAGE_HEADER);
  return true;
}

/**
 * Chooses the language of a page.
 * @param accountUid the learner that it is rendered for, or null for a page without an account. The account's language
 *   follows the choice of its browser, and a browser without a choice follows the account.
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
  // The proxy's header replaces the cookie and the header that it was chosen from.
  if (proxy !== undefined && accountUid === null)
    return chooseLanguage({ ...sources, cookie: proxy }, LOCALES).language;
  const { language, from } = chooseRequestLanguage(req, sources);
  if (accountUid === null) return language;
  const chosen = from === 'lang' || from === 'uiLocales' || from === 'cookie' ? language : null;
  const browser = { uid: accountUid, deviceDigest: digestDevice(readDevice(req), accountUid) };
  const account = await readRecords('the language of an account could not be read', (records) =>
    syncAccountLanguage(records, browser, chosen),
  );
  return chooseRequestLanguage(req, { ...sources, account }).language;
}

function readAddress(query: Context['query']) {
  return { lang: query[languageQuery.lang], uiLocales: query[languageQuery.uiLocales] };
}

/** Seconds that a static page is served before it is revalidated (docs/product.md#constants). */
const REVALIDATE_SECONDS = 1_800;

type TextProps = { texts: Texts };

/**
 * Loads the texts of a page. Only the texts are sent to the browser, because the other props of next-i18next contain
 * its configuration with absolute paths of the server.
 * @param route a route of this app, without query
 */
async function loadPageTexts(route: string, language: Language): Promise<TextProps> {
  // oxlint-disable-next-line no-restricted-properties -- in these words, for the build to leave the import out
  if (process.env.NODE_ENV === 'development') await watchTexts(route);
  const folder = language === PSEUDO_LANGUAGE ? SOURCE_LANGUAGE : language;
  const { _nextI18Next } = await serverSideTranslations(folder, namespacesFor(route));
  // Includes the texts of the default locale, which i18next falls back to.
  const { [language]: own = {}, [SOURCE_LANGUAGE]: source = {} } = (_nextI18Next?.initialI18nStore ?? {}) as Partial<
    Record<Language, Record<string, Tree>>
  >;
  const messages = prepareTexts(language, own, source) as Texts['messages'];
  return { texts: { language, dir: describeLanguage(language).dir, messages } };
}

/** Loads the texts of pages that work without the server's configuration. */
export const getStaticTexts: GetStaticProps = async () => ({
  props: await loadPageTexts('/404', SOURCE_LANGUAGE),
  revalidate: REVALIDATE_SECONDS,
});

/**
 * Adds the English text files to the page's modules for `next dev`, which then shows a changed text without a reload.
 * Files of other languages are left out, because they would also become modules of the build. Its module ids would get
 * another digit, which adds 300 bytes to every first load.
 */
async function watchTexts(route: string): Promise<void> {
  await Promise.all(namespacesFor(route).map((name) => import(`@/locales/en/${name}.json`)));
}

type Props = Record<string, unknown>;
type SessionLoader<P extends Props> = (session: LiveSession, context: PageContext) => Loading<P>;

/** Replaces a page's own props if the session cannot be checked. */
export type Unavailable = { unavailable: true };

/**
 * Creates the loader of a page that needs a session. Visitors without a live session are redirected to sign-in, and
 * return to the page by its name (docs/product.md#callbacks). If the session cannot be checked, the response is 503
 * with an error page. The page gets `accountUid`, which its calls send (docs/security.md, `stale-tab`).
 * @param name the page's name in `return_to`
 * @param load loads the page's props for the learner of the live session
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
    // The browser had a session, so clear its signed-in cookie and notify the learner.
    appendCookies(res, [buildSignedOutCookie()]);
    query.set(queryNames.notification, 'AutoSignOut');
  }
  return redirectTo(`${paths.signIn}?${query.toString()}`);
}

/** Lists the parameters of a page's URL that are kept. */
export function listQuery(query: ParsedUrlQuery, isKept: (name: string) => boolean): [name: string, value: string][] {
  return Object.entries(query).flatMap(([name, value = []]) =>
    isKept(name) ? [value].flat().map((each): [string, string] => [name, each]) : [],
  );
}

export function redirectTo(destination: string) {
  return { redirect: { destination, permanent: false } } as const;
}

/** Redirects with status 303, so that the browser uses GET even after a form. */
export function redirectByGet(destination: string) {
  return { redirect: { destination, statusCode: 303 } } as const;
}

/**
 * Validates a URL that is requested as a callback. Refusals are counted for the operator (docs/product.md#callbacks).
 */
export function validateRequestedCallback(input: unknown): CallbackValidation {
  const validation = validateCallback(input, getCallbackPolicy(getPublicEnv()));
  if (!validation.accepted && validation.reason !== 'missing') countRefusedCallback(validation.reason);
  return validation;
}

/** Caching of pages and config responses without personal data (docs/deploy/caches.md). */
export const SHARED_CACHE_CONTROL = 's-maxage=300, stale-while-revalidate=59';
const PERSONAL_CACHE_CONTROL = 'private, no-store';

/** How long a page waits for its config before the browser fetches it. */
const CONFIG_TIMEOUT_MS = 400;

export type PageProps = TextProps & {
  publicEnv: PublicEnv;
  appConfig: AppConfigState;
  notification?: PageNotification;
};

type Loaded = Record<string, unknown>;
/** Loads a page's additional props. Null means that the response has no personal data and may be cached publicly. */
type Loader<P extends Loaded> = (context: PageContext) => Promise<GetServerSidePropsResult<P> | null>;

type PageOptions = {
  /**
   * Whether the page waits for a late app config, which the browser then fetches. Only for `/sign-in`, `/registration`
   * and the pages below them. Other pages show the default look, because a loader would never end without JavaScript.
   */
  awaitsConfig?: true;
};

/**
 * Builds a page's `getServerSideProps`: texts by route, public configuration, app config, caching.
 * @param route the page's own path, which decides its text namespaces
 * @param load loads additional props; its redirect or not-found takes precedence
 */
export function createPageProps<P extends Loaded = Loaded>(
  route: string,
  options: PageOptions = {},
  load?: Loader<P>,
): GetServerSideProps<(PageProps & Loaded) | (DeadEndProps & Unavailable)> {
  const getProps: GetServerSideProps<PageProps & Loaded> = async (context) => {
    const begin = performance.now();
    const visit = { ...context, query: readQuery(context) };
    validateRequestedCallback(visit.query[queryNames.redirectUri]);
    // Private by default, unless the response is found to have no personal data.
    context.res.setHeader('cache-control', PERSONAL_CACHE_CONTROL);
    const isLanguageKept = keepAddressLanguage(visit);
    const [config, loaded] = await Promise.all([loadAppConfig(context.req), load?.(context)]);
    countPage(route, (performance.now() - begin) / 1000);
    if (loaded && !('props' in loaded)) return loaded;
    const own: Loaded = loaded ? await loaded.props : {};
    const accountUid = typeof own.accountUid === 'string' ? own.accountUid : null;
    const language = await choosePageLanguage(visit, accountUid, typeof config === 'object' ? config : null);
    const appConfig = toPageState(config, language, options);
    // The framework writes the query into the page, but a cache may leave the query out of its key.
    const notification = findPageNotification(visit.query[queryNames.notification]);
    const isForAll = !loaded && !isLanguageKept && !notification && Object.keys(context.query).length === 0;
    if (isForAll && shareByLanguage(context) && isComplete(appConfig))
      context.res.setHeader('cache-control', SHARED_CACHE_CONTROL);
    const texts = await loadPageTexts(route, language);
    setHeadlineOfStep(appConfig, texts, route);
    keepNotification(texts, notification);
    const publicEnv = { ...getPublicEnv(), passkeys: arePasskeysOffered(context.req) };
    return { props: { ...texts, publicEnv, appConfig, ...(notification && { notification }), ...own } };
  };
  return (context) => {
    const { headers } = context.req;
    // The middleware has set it.
    const requestId = getRequestId([headers['x-request-id']].flat()[0], true);
    return runWithRequest(headers, requestId, () => {
      // Used for an error that the framework reports after the request (instrumentation.ts).
      Object.assign(headers, getTraceHeaders());
      return getProps(context).catch(async (error: unknown) => ({ props: await getFailureProps(context, error) }));
    });
  };
}

/** Loads the not-found page, in the visitor's language and the look of its origin, or the support desk. */
export const getUnknownPageProps: GetServerSideProps<DeadEndProps | DeskProps> = async (context) => {
  if (isSupportDesk(context)) return { props: await loadSupportDesk(context) };
  context.res.statusCode = 404;
  return { props: await loadDeadEnd(context) };
};

function isSupportDesk({ resolvedUrl }: PageContext): boolean {
  return env().OPERATORS_FILE !== undefined && resolvedUrl.split('?')[0] === SUPPORT_PAGE;
}

/** Has no `publicEnv`, so the page has no session, no analytics and no error reports. */
export type DeskProps = DeadEndProps & { isSupportDesk: true };

/** Loads the support desk, in English and without pictures of the brand, which can be on any host. */
async function loadSupportDesk({ req, res }: PageContext): Promise<DeskProps> {
  res.setHeader('cache-control', PERSONAL_CACHE_CONTROL);
  res.setHeader('x-robots-tag', 'noindex');
  res.setHeader('referrer-policy', 'no-referrer');
  const state = toPageState(await loadAppConfig(req), SOURCE_LANGUAGE);
  const { brandName = getPublicEnv().brandName, brandCss } = (state.status === 'ready' && state.config) || {};
  const config = { brandName, ...(brandCss !== undefined && { brandCss }) };
  return {
    ...(await loadPageTexts('/404', SOURCE_LANGUAGE)),
    appConfig: { status: 'ready', config },
    isSupportDesk: true,
  };
}

/** Loads the error page of a failed page. */
async function getFailureProps(context: PageContext, error: unknown): Promise<DeadEndProps & Unavailable> {
  reportError(error, { during: 'loading a page' });
  context.res.statusCode = 500;
  return { ...(await loadDeadEnd(context)), unavailable: true };
}

/** Has no `publicEnv`, because such a page makes no request. */
type DeadEndProps = TextProps & Pick<PageProps, 'appConfig'>;

async function loadDeadEnd(context: PageContext): Promise<DeadEndProps> {
  context.res.setHeader('cache-control', PERSONAL_CACHE_CONTROL);
  const config = await loadAppConfig(context.req);
  const language = await choosePageLanguage(context, null, typeof config === 'object' ? config : null);
  return { ...(await loadPageTexts('/404', language)), appConfig: toPageState(config, language) };
}

/** Returns the query of the URL in the visitor's address bar. */
function readQuery({ query, req }: Pick<PageContext, 'query' | 'req'>): ParsedUrlQuery {
  const taken = req.headers[PAGE_QUERY_HEADER];
  return typeof taken === 'string' ? parse(taken.slice(1)) : query;
}

/** Whether a page has its config. A page whose config timed out or failed is served but not cached. */
function isComplete(appConfig: AppConfigState): boolean {
  return appConfig.status === 'none' || (appConfig.status === 'ready' && appConfig.config !== null);
}

/** Steps whose headline replaces the origin's, by route. */
const HEADLINES: Partial<Record<string, string>> = {
  [paths.registration]: 'common:headline.signUp',
  [paths.registrationConfirm]: 'common:headline.code',
  [paths.forgetPasswordInstructions]: 'common:headline.code',
  [paths.forgetPasswordReset]: 'common:headline.code',
  [paths.secondFactor]: 'common:headline.code',
  [paths.signOut]: 'common:headline.signedOut',
};

/**
 * Sets the headline of the split screen. The server does it, because the scripts of the pages have no room for it. The
 * headlines of other steps are not sent.
 */
function setHeadlineOfStep(state: AppConfigState, { texts }: TextProps, route: string): void {
  const { headline, ...common } = texts.messages.common as { headline: Record<string, string> };
  texts.messages.common = common;
  const step = HEADLINES[route]?.split('.')[1];
  if (step === undefined || state.status !== 'ready' || state.config?.splitScreenHeadline === undefined) return;
  const text = headline[step];
  if (text !== undefined) state.config.splitScreenHeadline = text;
}

/** Leaves out the messages that are part of other pages. Their texts would be a hundredth of the response. */
function keepNotification({ texts }: TextProps, shown: PageNotification | undefined): void {
  const { notifications = {}, ...common } = texts.messages.common as Tree & { notifications?: Tree };
  const isKept = ([key]: [string, unknown]) => findPageNotification(key) === undefined || key === shown?.key;
  texts.messages.common = {
    ...common,
    notifications: Object.fromEntries(Object.entries(notifications).filter(isKept)),
  };
}

type LoadedConfig = AppConfig | 'late' | 'failed' | null;

function toPageState(loaded: LoadedConfig, language: Language, { awaitsConfig }: PageOptions = {}): AppConfigState {
  if (loaded === null) return { status: 'none' };
  if (loaded === 'late' && awaitsConfig) return { status: 'late' };
  return { status: 'ready', config: typeof loaded === 'object' ? toPageConfig(loaded, language) : null };
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
 * @throws ApiProblem `not-found` for an unknown origin, or 503 if the identity host does not respond, which it also
 *   reports
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

/** How long a page waits for the database. */
const RECORDS_TIMEOUT_MS = 2_000;

/**
 * A page's data from the records. Null if another deployment has the accounts, or the origin does not offer the
 * feature.
 */
export type Recorded<T> = T | 'unavailable' | null;

/**
 * Reads a page's data from the records. The page does not fail with them.
 * @param warning log line if they cannot be read in time
 */
export async function readRecords<T>(warning: string, read: (records: Records) => Promise<T>): Promise<Recorded<T>> {
  if (env().SESSION_BACKEND === 'upstream') return null;
  try {
    return await promiseTimeout(getRecords().then(read), RECORDS_TIMEOUT_MS);
  } catch (error) {
    log().warn({ err: error }, warning);
    return 'unavailable';
  }
}
