import i18next, { type TFunction } from 'i18next';
import mail from '@/locales/en/mail.json';
import { processWide } from '@/lib/server/runtime/process-wide';

/** Texts of the emails, from `locales/en/mail.json`. */
export function getEmailTexts(): TFunction<'mail'> {
  return processWide('email-texts', () => {
    const instance = i18next.createInstance();
    // Values are escaped when the email is rendered as HTML, and must not be escaped in its plain text.
    const interpolation = { escapeValue: false };
    void instance.init({ lng: 'en', initAsync: false, resources: { en: { mail } }, interpolation });
    return instance.getFixedT('en', 'mail');
  });
}

/** The recipient's time zone is not known. @param moment RFC 3339 */
export function formatDay(moment: string): string {
  return new Intl.DateTimeFormat('en-US', { dateStyle: 'long', timeZone: 'UTC' }).format(new Date(moment));
}

export function formatDevice({ browser, system }: { browser: string | null; system: string | null }): string {
  const t = getEmailTexts();
  if (browser !== null && system !== null) return t('mail:newSignIn.browserOnSystem', { browser, system });
  return browser ?? system ?? t('mail:newSignIn.unknown');
}
