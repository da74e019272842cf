import { randomUUID } from 'node:crypto';
import { inject } from 'vitest';
import { createAccountsClient } from './accounts-client';
import { CookieJar } from './cookie-jar';
import { mailsTo } from './mail';
import type { Endpoints } from './stack';

type ProviderResponse = { status: number; body: Record<string, unknown> };
/** A user's claims from a sign-in provider. */
type Identity = { sub: string; email: string; email_verified?: boolean };

/**
 * An attacker's capabilities: the app's public URLs, the public web API key with the identity provider's REST API,
 * and their own mailboxes. `accounts` is the operator's side, `mails` reads any mailbox: both are for the victim's
 * part.
 * @param endpoints of the deployment under attack, the shared one by default
 */
export function attackTools(endpoints: Endpoints = inject('endpoints')) {
  const send = async (address: string, init: RequestInit): Promise<ProviderResponse> => {
    const response = await fetch(`http://${endpoints.emulatorHost}/${address}?key=local`, { method: 'POST', ...init });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  /** Calls the identity provider's public API. @returns status and body, also of errors */
  const provider = (method: string, body: object) =>
    send(`identitytoolkit.googleapis.com/v1/${method}`, {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });

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
    signInWithIdp: (providerId: string, identity: Identity, idToken?: string) => {
      const assertion = JSON.stringify({ assertion: { subject: { nameId: identity.email } } });
      const saml: Record<string, string> = providerId.startsWith('saml.') ? { SAMLResponse: assertion } : {};
      const postBody = new URLSearchParams({ providerId, id_token: JSON.stringify(identity), ...saml }).toString();
      const body = { postBody, requestUri: 'http://localhost', returnSecureToken: true, returnIdpCredential: true };
      return provider('accounts:signInWithIdp', idToken === undefined ? body : { ...body, idToken });
    },
    /** Exchanges a refresh token for a new ID token. */
    refresh: (refreshToken: string) =>
      send('securetoken.googleapis.com/v1/token', {
        body: new URLSearchParams({ grant_type: 'refresh_token', refresh_token: refreshToken }),
      }),
  };
}
