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
import { mailsBesidesAlerts } from './mail';
import type { Endpoints } from '../../scripts/lib/stack.mjs';

/**
 * Returns an attacker's capabilities: the app's public URLs, the identity provider's REST API with the public web API
 * key, and their own mailboxes. `accounts` acts as the operator and `mails` reads any mailbox. Both are for the
 * victim's part only.
 * @param endpoints the deployment under attack, by default the shared one
 */
export function attackTools(endpoints: Endpoints = inject('endpoints')) {
  /** Calls the identity provider's public API. @returns the status and body, also for errors */
  const provider = (method: string, body: object) => callProvider(endpoints, method, body);

  return {
    endpoints,
    accounts: createAccountsClient(endpoints),
    provider,
    /** Creates a browser on the app's own pages. */
    browser: () => new CookieJar({ origin: endpoints.appOrigin }),
    at: (path: string) => endpoints.appOrigin + path,
    freshEmail: (domain = 'campus.test') => `${randomUUID().slice(0, 12)}@${domain}`,
    mails: (to: string, count = 1) => mailsBesidesAlerts(endpoints, to, count),
    /** Signs in with a social, SAML or OIDC provider, or links it if an ID token is given. */
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

/** Reads the data of a page. Undefined for a response without data, such as a redirect. @param html the page's HTML */
export function readPageData(html: string): { props: { pageProps: Record<string, unknown> } } | undefined {
  const [, data] = /<script id="__NEXT_DATA__"[^>]*>(.*?)<\/script>/s.exec(html) ?? [];
  return data === undefined ? undefined : (JSON.parse(data) as { props: { pageProps: Record<string, unknown> } });
}
