import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import path from 'node:path';
import i18next, { type TFunction } from 'i18next';
import { chooseRequestLanguage, getRequestOrigin, isInMainDomain } from '@/lib/server/http';
import { env, getAppConfig, type ClientDescription } from '@/lib/server/runtime';
import type { NoticeBrand } from '@/lib/server/storage';
import type { AppConfig } from '@/lib/shared/config/app-config';
import { reportError } from '@/lib/shared/error-reporting/report';
import { prepareTexts } from '@/lib/shared/i18n/complete';
import { PSEUDO_LANGUAGE, SOURCE_LANGUAGE, type Language } from '@/lib/shared/i18n/languages';
import type { Tree } from '@/lib/shared/i18n/messages';
import { formatDate } from '@/lib/shared/moment';
import { promiseTimeout } from '@/lib/shared/promise-timeout';
import mail from '@/locales/en/mail.json';

const loaded = new Map<Language, TFunction<'mail'>>();

/** Returns the texts of emails, from `mail.json` of the language's folder. */
export function getEmailTexts(language: Language = SOURCE_LANGUAGE): TFunction<'mail'> {
  const texts = loaded.get(language) ?? loadTexts(language);
  loaded.set(language, texts);
  return texts;
}

function loadTexts(language: Language): TFunction<'mail'> {
  const instance = i18next.createInstance();
  // Values are escaped when the email is rendered as HTML. They must not be escaped in its plain text.
  const interpolation = { escapeValue: false };
  const resources = { [language]: { mail: readTexts(language) } };
  void instance.init({ lng: language, initAsync: false, resources, interpolation });
  return instance.getFixedT(language, 'mail');
}

function readTexts(language: Language): Tree {
  if (language === SOURCE_LANGUAGE) return mail;
  if (language === PSEUDO_LANGUAGE) return prepareTexts(language, {}, mail);
  const file = path.resolve('locales', language, 'mail.json');
  return prepareTexts(language, JSON.parse(readFileSync(file, 'utf8')) as Tree, mail);
}

/** Formats a day in UTC, because the recipient's time zone is not known. @param moment RFC 3339 */
export function formatDay(moment: string, language: Language = SOURCE_LANGUAGE): string {
  const options = { dateStyle: 'long', timeZone: 'UTC' } as const;
  return formatDate(new Date(moment), language, options);
}

export function formatDevice(
  { browser, system }: { browser: string | null; system: string | null },
  language: Language = SOURCE_LANGUAGE,
): string {
  const t = getEmailTexts(language);
  if (browser !== null && system !== null) return t('mail:newSignIn.browserOnSystem', { browser, system });
  return browser ?? system ?? t('mail:newSignIn.unknown');
}

/** How long an email waits for its brand config, in milliseconds. After that it uses the product's own brand. */
const CONFIG_TIMEOUT_MS = 1_000;
/** `--accent` of the light tokens. */
const OWN_ACCENT = '#1f5f5b';

/** Brand and link origin of an email. */
export type EmailContext = NoticeBrand & {
  /** Who caused the email, for the account's security events. */
  client?: ClientDescription;
  /** Id of an email that may be sent to the server again, from which its `Message-ID` is made. */
  id?: string;
  /** The account that the email is about, for its record (`sent_emails`). */
  uid?: string;
};

/**
 * Returns the brand and link origin of emails that a request causes. It uses the request's own origin only if that is
 * configured, because a forged `Host` header must not decide where a user's reset link leads.
 */
export async function getEmailContext(req: Pick<IncomingMessage, 'headers'>): Promise<EmailContext> {
  const { NEXT_PUBLIC_APP_ORIGIN: appOrigin, NEXT_PUBLIC_BRAND_NAME: ownName } = env();
  const origin = getRequestOrigin(req);
  const config = origin !== null && isInMainDomain(origin) ? await getConfig(origin) : null;
  return {
    origin: config && origin !== null ? origin : appOrigin,
    brandName: config?.brandName ?? ownName,
    accent: config?.colors?.light.accent ?? OWN_ACCENT,
    hasOwnLogo: config?.logo !== undefined,
    support: env().NEXT_PUBLIC_SUPPORT_MAILBOX,
    language: chooseRequestLanguage(req, { origin: config?.defaultLanguage }).language,
  };
}

/** Returns the brand of emails that no request has caused. */
export function getOwnBrand(): EmailContext {
  const { NEXT_PUBLIC_APP_ORIGIN: origin, NEXT_PUBLIC_BRAND_NAME: brandName, LOCALES } = env();
  const support = env().NEXT_PUBLIC_SUPPORT_MAILBOX;
  return { origin, brandName, accent: OWN_ACCENT, support, language: LOCALES[0] };
}

async function getConfig(origin: string): Promise<AppConfig | null> {
  try {
    return await promiseTimeout(getAppConfig(origin), CONFIG_TIMEOUT_MS);
  } catch (error) {
    reportError(error, { during: 'loading the brand of an email' });
    return null;
  }
}
