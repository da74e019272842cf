import type { IncomingMessage } from 'node:http';
import { isSocialProvider } from '@/lib/shared/providers';
import { reportError } from '@/lib/shared/error-reporting/report';
import type { AppConfig, SecondFactorRule } from '@/lib/shared/config/app-config';
import { env, getAppConfig, describeClient } from '@/lib/server/runtime';
import { getEmailContext } from '@/lib/server/notifications';
import { toAssurance } from '@/lib/shared/acr-values';
import { cookieTable } from '@/lib/shared/cookie-table';
import { readHostCookie, type RequestCookies, chooseRequestLanguage, getRequestOrigin } from '@/lib/server/http';
import { providerUnavailable } from '@/lib/server/identity';
import { isSecondFactorOffered } from '@/lib/server/policy';
import { readDevice } from './device';
import type { SessionRequest } from './types';

/** Where accounts have no second factor, nothing can be asked for: the platform checks the session. */
export function getRequiredAssurance({ cookies }: RequestCookies): 1 | 2 {
  return toAssurance(cookies[cookieTable.acrValues.name]) === 2 && isSecondFactorOffered() ? 2 : 1;
}

/** The request data that the account policy and the emails of a sign-in need. */
export function toSessionRequest(req: Pick<IncomingMessage, 'headers' | 'socket'> & RequestCookies): SessionRequest {
  const readConfig = async () => {
    const origin = getRequestOrigin(req);
    return origin === null
      ? null
      : getAppConfig(origin).catch((error: unknown) => {
          throw providerUnavailable(error);
        });
  };
  return {
    // Same default as the sign-in page: password only when the origin does not configure it.
    enabledSocial: async () => new Set(((await readConfig())?.enabledIdentities ?? []).filter(isSocialProvider)),
    // Without the config, the second factor is asked for.
    allowsRemembering: async () => (await readConfig().catch(() => null))?.rememberBrowsers === true,
    secondFactorRule: async () => (await readRule(readConfig).catch(reportUnknownRule)) ?? null,
    requiredAssurance: getRequiredAssurance(req),
    emailContext: async () => ({ ...(await getEmailContext(req)), client: describeClient(req) }),
    language: readLanguage(req),
    client: () => describeClient(req),
    device: readDevice(req),
    sessionCookie: req.cookies[cookieTable.session.name] || null,
    pendingSignIn: readHostCookie(req, 'pendingSignIn') || null,
  };
}

function readLanguage(req: Pick<IncomingMessage, 'headers'>): SessionRequest['language'] {
  const { language, from } = chooseRequestLanguage(req);
  return env().LOCALES.length === 1 || from === null ? null : { language, isChosen: from === 'cookie' };
}

/** An origin that is not listed has the rule of the app's own: the `Host` header is the visitor's. */
async function readRule(readConfig: () => Promise<AppConfig | null>): Promise<SecondFactorRule | undefined> {
  const config = (await readConfig()) ?? (await getAppConfig(env().NEXT_PUBLIC_APP_ORIGIN));
  return config?.secondFactor;
}

/** A sign-in does not depend on the identity host: rules of organizations hold without it (docs/adr/0034). */
function reportUnknownRule(error: unknown): null {
  reportError(error, { during: 'reading the rule for the second factor' });
  return null;
}
