import { parseCookie } from 'cookie';
import type { IncomingMessage } from 'node:http';
import { cookieTable } from '@/lib/shared/cookie-table';
import { chooseLanguage, type LanguageSources } from '@/lib/shared/i18n/choose-language';
import { env } from '@/lib/server/runtime';

/**
 * The language of a response, or of an email that the request causes.
 * @param more what the request's headers do not say
 */
export function chooseRequestLanguage(
  { headers }: Pick<IncomingMessage, 'headers'>,
  more: Omit<LanguageSources, 'cookie' | 'acceptLanguage'> = {},
): ReturnType<typeof chooseLanguage> {
  const { [cookieTable.language.name]: cookie } = parseCookie(headers.cookie ?? '');
  return chooseLanguage({ ...more, cookie, acceptLanguage: headers['accept-language'] }, env().LOCALES);
}
