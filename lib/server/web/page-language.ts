import type { GetServerSidePropsContext } from 'next';
import type { AppConfig } from '@/lib/shared/config/app-config';
import { languageQuery, type Language } from '@/lib/shared/i18n/languages';
import { env } from '@/lib/server/runtime';
import { appendCookies, applySharedComputerExpiry, buildSetCookie, chooseRequestLanguage } from '@/lib/server/http';
import { syncAccountLanguage } from '@/lib/server/storage';
import { readRecords } from './read-records';

type Context = Pick<GetServerSidePropsContext, 'req' | 'res' | 'query'>;

/** Keeps the language that the address names: the pages and emails that follow are in it, too. */
export function keepAddressLanguage({ req, res, query }: Context): void {
  const { language, from } = chooseRequestLanguage(req, readAddress(query));
  if (from !== 'lang' && from !== 'uiLocales') return;
  const cookie = buildSetCookie('language', language, env().NEXT_PUBLIC_MAIN_DOMAIN);
  appendCookies(res, applySharedComputerExpiry(req, [cookie]));
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
  const { LOCALES } = env();
  if (LOCALES.length === 1) return LOCALES[0];
  const sources = { ...readAddress(query), origin: config?.defaultLanguage };
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
