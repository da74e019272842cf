import i18next, { type TFunction } from 'i18next';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { prepareTexts } from '@/lib/shared/i18n/complete';
import { PSEUDO_LANGUAGE, SOURCE_LANGUAGE, type Language } from '@/lib/shared/i18n/languages';
import type { Tree } from '@/lib/shared/i18n/messages';
import { getDateLocale } from '@/lib/shared/moment';
import mail from '@/locales/en/mail.json';
import { processWide } from '@/lib/server/runtime';

/** Texts of the emails, from `mail.json` of the language's folder. */
export function getEmailTexts(language: Language = SOURCE_LANGUAGE): TFunction<'mail'> {
  return processWide(`email-texts:${language}`, () => {
    const instance = i18next.createInstance();
    // Values are escaped when the email is rendered as HTML, and must not be escaped in its plain text.
    const interpolation = { escapeValue: false };
    const resources = { [language]: { mail: readTexts(language) } };
    void instance.init({ lng: language, initAsync: false, resources, interpolation });
    return instance.getFixedT(language, 'mail');
  });
}

function readTexts(language: Language): Tree {
  if (language === SOURCE_LANGUAGE) return mail;
  if (language === PSEUDO_LANGUAGE) return prepareTexts(language, {}, mail);
  const file = path.resolve('locales', language, 'mail.json');
  return prepareTexts(language, JSON.parse(readFileSync(file, 'utf8')) as Tree, mail);
}

/** The recipient's time zone is not known. @param moment RFC 3339 */
export function formatDay(moment: string, language: Language = SOURCE_LANGUAGE): string {
  const options = { dateStyle: 'long', timeZone: 'UTC' } as const;
  return new Intl.DateTimeFormat(getDateLocale(language), options).format(new Date(moment));
}

export function formatDevice(
  { browser, system }: { browser: string | null; system: string | null },
  language: Language = SOURCE_LANGUAGE,
): string {
  const t = getEmailTexts(language);
  if (browser !== null && system !== null) return t('mail:newSignIn.browserOnSystem', { browser, system });
  return browser ?? system ?? t('mail:newSignIn.unknown');
}
