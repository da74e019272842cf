import session from 'express-session';
import openid from 'express-openid-connect';
import {
  clientId,
  clientSecret,
  createSite,
  describeUser,
  issuer,
  origin,
  sendAnswer,
  serve,
} from './express-site.mjs';

const site = createSite();
site.use(
  openid.auth({
    baseURL: origin,
    issuerBaseURL: issuer,
    clientID: clientId,
    clientSecret,
    secret: clientSecret,
    authRequired: false,
    authorizationParams: { response_type: 'code', scope: 'openid profile email' },
    // The default of 5 s is too short for a busy machine.
    httpTimeout: 60_000,
    idpLogout: true,
    backchannelLogout: { store: new session.MemoryStore() },
    routes: { logout: '/sign-out', postLogoutRedirect: '/' },
  }),
);
site.get('/', ({ oidc }, res) =>
  sendAnswer(res, oidc.isAuthenticated() ? describeUser(oidc.user ?? {}) : 'Signed out'),
);
site.get('/silent', ({ oidc }, res) => {
  if (oidc.isAuthenticated()) return sendAnswer(res, describeUser(oidc.user ?? {}));
  return res.oidc.login({ returnTo: '/silent', authorizationParams: { prompt: 'none' } });
});
site.get('/courses/:id', openid.requiresAuth(), ({ oidc }, res) => sendAnswer(res, describeUser(oidc.user ?? {})));
site.use((error, _req, res, _next) => sendAnswer(res, error.error ?? error.message));
serve(site);
