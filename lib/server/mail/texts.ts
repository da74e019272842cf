import i18next, { type TFunction } from 'i18next';
import mail from '@/locales/en/mail.json';
import { processWide } from '../process-wide';

/** Texts of the mails, from `locales/en/mail.json`. */
export function mailTexts(): TFunction<'mail'> {
  return processWide('mail-texts', () => {
    const instance = i18next.createInstance();
    // Values are escaped where the letter becomes HTML, and must not be in its plain text.
    const interpolation = { escapeValue: false };
    void instance.init({ lng: 'en', initAsync: false, resources: { en: { mail } }, interpolation });
    return instance.getFixedT('en', 'mail');
  });
}
