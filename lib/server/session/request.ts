import type { IncomingMessage } from 'node:http';
import { isSocialProvider } from '@/lib/shared/providers/social-providers';
import { getAppConfig } from '../app-config';
import { getEmailContext } from '../email';
import { cookieTable } from '@/lib/shared/cookie-table';
import { describeClient } from '../http/client-description';
import type { RequestCookies } from '../http/cookies';
import { getRequestOrigin } from '../http/request-origin';
import { providerUnavailable } from '../identity-provider/errors';
import { readDevice } from './device';
import type { SessionRequest } from './types';

/** The request data that the account policy and the emails of a sign-in need. */
export function toSessionRequest(req: Pick<IncomingMessage, 'headers' | 'socket'> & RequestCookies): SessionRequest {
  return {
    enabledSocial: async () => {
      const origin = getRequestOrigin(req);
      const config = origin === null ? null : await getAppConfig(origin).catch((error: unknown) => { throw providerUnavailable(error); }); // prettier-ignore
      // Same default as the sign-in page: password only when the origin does not configure it.
      return new Set((config?.enabledIdentities ?? []).filter(isSocialProvider));
    },
    emailContext: async () => ({ ...(await getEmailContext(req)), client: describeClient(req) }),
    client: () => describeClient(req),
    device: readDevice(req),
    sessionCookie: req.cookies[cookieTable.session.name] || null,
  };
}
