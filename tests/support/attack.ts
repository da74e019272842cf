import { randomUUID } from 'node:crypto';
import { inject } from 'vitest';
import {
  callProvider,
  createAccountsClient,
  idpResponse,
  type Identity,
  type ProviderResponse,
} from './accounts-client';
import { CookieJar } from './client';
import { mailsTo } from './mail';
import type { Endpoints } from '../../scripts/lib/stack.mjs';

/**
 * An attacker's capabilities: the app's public URLs, the public web API key with the identity provider's REST API,
 * and their own mailboxes. `accounts` is the operator's side, `mails` reads any mailbox: both are for the victim's
 * part.
 * @param endpoints of the deployment under attack, the shared one by default
 */
export function attackTools(endpoints: Endpoints = inject('endpoints')) {
  /** Calls the identity provider's public API. @returns status and body, also of errors */
  const provider = (method: string, body: object) => callProvider(endpoints, method, body);

  return {
    endpoints,
    accounts: createAccountsClient(endpoints),
    provider,
    /** A browser on the app's own pages. */
    browser: () => new CookieJar({ origin: endpoints.appOrigin }),
    at: (path: string) => endpoints.appOrigin + path,
    freshEmail: (domain = 'campus.test') => `${randomUUID().slice(0, 12)}@${domain}`,
    mails: (to: string, count = 1) => mailsTo(endpoints, to, count),
    /** Signs in with a social, SAML or OIDC provider, or links it when an ID token is given. */
    signInWithIdp: (providerId: string, identity: Identity, idToken?: string) =>
      provider('accounts:signInWithIdp', { ...idpResponse(providerId, identity), ...(idToken && { idToken }) }),
    /** Exchanges a refresh token for a new ID token. */
    refresh: async (refreshToken: string): Promise<ProviderResponse> => {
      const body = new URLSearchParams({ grant_type: 'refresh_token', refresh_token: refreshToken });
      const address = `http://${endpoints.emulatorHost}/securetoken.googleapis.com/v1/token?key=local`;
      const response = await fetch(address, { method: 'POST', body });
      return { status: response.status, body: (await response.json()) as Record<string, unknown> };
    },
  };
}
