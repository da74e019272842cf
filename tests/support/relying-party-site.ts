import { text } from 'node:stream/consumers';
import * as oauth from 'oauth4webapi';
import * as oidc from 'openid-client';
import { listen } from './listen';

/** Data that a site keeps between a request and its response. */
type Pending = { verifier: string; state: string; nonce: string };
type Site = {
  begin: (parameters: Record<string, string>) => Promise<{ address: URL; pending: Pending }>;
  complete: (answer: URL, pending: Pending) => Promise<Record<string, unknown>>;
};
type Settings = { issuer: string; clientId: string; secret: string; redirectUri: string };

/** A relying party with openid-client. */
function useOpenidClient({ issuer, clientId, secret, redirectUri }: Settings): Site {
  const discover = () =>
    oidc.discovery(new URL(issuer), clientId, {}, oidc.ClientSecretPost(secret), {
      execute: [oidc.allowInsecureRequests],
    });
  return {
    begin: async (parameters) => {
      const pending = { verifier: oidc.randomPKCECodeVerifier(), state: oidc.randomState(), nonce: oidc.randomNonce() };
      const address = oidc.buildAuthorizationUrl(await discover(), {
        ...{ redirect_uri: redirectUri, scope: 'openid profile email', state: pending.state, nonce: pending.nonce },
        ...{ code_challenge: await oidc.calculatePKCECodeChallenge(pending.verifier), code_challenge_method: 'S256' },
        ...parameters,
      });
      return { address, pending };
    },
    complete: async (answer, { verifier, state, nonce }) => {
      const config = await discover();
      const checks = { pkceCodeVerifier: verifier, expectedState: state, expectedNonce: nonce, idTokenExpected: true };
      const tokens = await oidc.authorizationCodeGrant(config, answer, checks);
      const claims = tokens.claims();
      return { ...claims, ...(await oidc.fetchUserInfo(config, tokens.access_token, claims?.sub ?? '')) };
    },
  };
}

/** A relying party with oauth4webapi. */
function useOauth4webapi({ issuer, clientId, secret, redirectUri }: Settings): Site {
  const options = { [oauth.allowInsecureRequests]: true };
  const client = { client_id: clientId };
  const discover = async () =>
    oauth.processDiscoveryResponse(new URL(issuer), await oauth.discoveryRequest(new URL(issuer), options));
  return {
    begin: async (parameters) => {
      const verifier = oauth.generateRandomCodeVerifier();
      const pending = { verifier, state: oauth.generateRandomState(), nonce: oauth.generateRandomNonce() };
      const address = new URL((await discover()).authorization_endpoint ?? '');
      address.search = new URLSearchParams({
        ...{ ...client, response_type: 'code', redirect_uri: redirectUri, scope: 'openid profile email' },
        ...{ state: pending.state, nonce: pending.nonce },
        ...{ code_challenge: await oauth.calculatePKCECodeChallenge(verifier), code_challenge_method: 'S256' },
        ...parameters,
      }).toString();
      return { address, pending };
    },
    complete: async (answer, { verifier, state, nonce }) => {
      const server = await discover();
      const parameters = oauth.validateAuthResponse(server, client, answer, state);
      const authentication = oauth.ClientSecretPost(secret);
      const response = await oauth.authorizationCodeGrantRequest(
        server,
        client,
        authentication,
        parameters,
        redirectUri,
        verifier,
        options,
      );
      const checks = { expectedNonce: nonce, requireIdToken: true };
      const tokens = await oauth.processAuthorizationCodeResponse(server, client, response, checks);
      await oauth.validateApplicationLevelSignature(server, response, options);
      const claims = oauth.getValidatedIdTokenClaims(tokens);
      const userinfo = await oauth.userInfoRequest(server, client, tokens.access_token, options);
      return { ...claims, ...(await oauth.processUserInfoResponse(server, client, claims?.sub ?? '', userinfo)) };
    },
  };
}

export const LIBRARIES = { 'openid-client': useOpenidClient, oauth4webapi: useOauth4webapi };

/**
 * Starts a small platform on another domain, for a browser. `/` begins a sign-in, and `/callback` shows the user's
 * claims. The query of `/` is added to the request.
 */
export async function startRelyingPartySite(library: keyof typeof LIBRARIES, port: number) {
  const origin = `http://${library}.localhost:${String(port)}`;
  let site: Site;
  let pending: Pending;
  const told: string[] = [];
  const server = await listen((req, res) => {
    const answer = async () => {
      const url = new URL(req.url ?? '/', origin);
      if (url.pathname === '/backchannel') {
        told.push(new URLSearchParams(await text(req)).get('logout_token') ?? '');
        return res.writeHead(200).end();
      }
      if (url.pathname !== '/callback') {
        const begun = await site.begin(Object.fromEntries(url.searchParams));
        pending = begun.pending;
        return res.writeHead(303, { location: begun.address.href }).end();
      }
      const { sub, name, acr } = await site.complete(url, pending);
      const words = url.searchParams.get('error') ?? `Signed in as ${String(name)}, ${String(sub)}, ${String(acr)}`;
      return res
        .writeHead(200, { 'content-type': 'text/html' })
        .end(`<title>${library}</title><p id="answer">${words}</p>`);
    };
    answer().catch((error: unknown) => {
      const { error: code, message } = error as { error?: string; message: string };
      res.writeHead(200, { 'content-type': 'text/html' }).end(`<title>-</title><p id="answer">${code ?? message}</p>`);
    });
  }, port);
  return {
    origin,
    told,
    use: (settings: Omit<Settings, 'redirectUri'>) =>
      (site = LIBRARIES[library]({ ...settings, redirectUri: `${origin}/callback` })),
    stop: () => server.stop(),
  };
}
