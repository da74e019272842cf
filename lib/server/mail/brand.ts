import type { IncomingMessage } from 'node:http';
import type { AppConfig } from '@/lib/config/app-config';
import { env } from '@/lib/config/env';
import { promiseTimeout } from '@/lib/promise-timeout';
import { reportError } from '@/lib/sentry/report';
import { appConfigOf } from '../app-config';
import { isInMainDomain } from '../http/origins';
import { requestOrigin } from '../request-origin';

/** How long a mail waits for its brand, in milliseconds; without it the product's own is used. */
const PATIENCE = 1_000;
/** `--accent` of the light tokens. */
const OWN_ACCENT = '#1f5f5b';

/** Where a mail comes from and leads to. */
export type MailSetting = {
  /** Of the links in the mail. */
  origin: string;
  brandName: string;
  accent: string;
  support: string;
};

/**
 * Brand and link origin of mails that a request causes. The request's own origin is used only when the configuration
 * knows it: a `Host` header made up by a visitor must not decide where somebody's reset link leads.
 */
export async function mailSettingOf(req: Pick<IncomingMessage, 'headers'>): Promise<MailSetting> {
  const { NEXT_PUBLIC_APP_ORIGIN: appOrigin, NEXT_PUBLIC_BRAND_NAME: ownName } = env();
  const origin = requestOrigin(req);
  const config = origin !== null && isInMainDomain(origin) ? await configOf(origin) : null;
  return {
    origin: config && origin !== null ? origin : appOrigin,
    brandName: config?.brandName ?? ownName,
    accent: config?.colors?.light.accent ?? OWN_ACCENT,
    support: env().NEXT_PUBLIC_SUPPORT_MAILBOX,
  };
}

async function configOf(origin: string): Promise<AppConfig | null> {
  try {
    return await promiseTimeout(appConfigOf(origin), PATIENCE);
  } catch (error) {
    reportError(error, { during: 'loading the brand of a mail' });
    return null;
  }
}
