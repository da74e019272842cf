import type { GetServerSidePropsContext } from 'next';
import type { AppConfig } from '@/lib/shared/config/app-config';
import { chooseLanguage } from '@/lib/shared/i18n/choose-language';
import { languageQuery, type Language } from '@/lib/shared/i18n/languages';
import { env } from '@/lib/server/runtime';
import { appendCookies, applySharedComputerExpiry, buildSetCookie, chooseRequestLanguage } from '@/lib/server/http';
import { syncAccountLanguage } from '@/lib/server/storage';
import { readRecords } from './read-records';

type Context = Pick<GetServerSidePropsContext, 'req' | 'res' | 'query'>;

/**
 * Keeps the language that the address names: the pages and emails that follow are in it, too.
 * @returns whether the address names one
 */
export function keepAddressLanguage({ req, res, query }: Context): boolean {
  if (env().LOCALES.length === 1) return false;
  const { language, from } = chooseRequestLanguage(req, readAddress(query));
  if (from !== 'lang' && from !== 'uiLocales') return false;
  const cookie = buildSetCookie('language', language, env().NEXT_PUBLIC_MAIN_DOMAIN);
  appendCookies(res, applySharedComputerExpiry(req, [cookie]));
  return true;
}

/**
 * Whether shared caches may store a page without personal data: there is one language, or the proxy has chosen this one, and the
 * response says by which header (docs/deployment.md#languages). No cache knows what a browser's cookie and `Accept-Language` mean.
 */
export function shareByLanguage({ req, res }: Pick<Context, 'req' | 'res'>): boolean {
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
export async function choosePageLanguage(
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
