import session from 'express-session';
import passport from 'passport';
import Strategy from 'passport-openidconnect';
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
  session({ secret: clientSecret, resave: false, saveUninitialized: false, cookie: { secure: true, sameSite: 'lax' } }),
  passport.session(),
);
passport.serializeUser((user, done) => done(null, user));
passport.deserializeUser((user, done) => done(null, user));
passport.use(
  'campus',
  new Strategy(
    {
      issuer,
      authorizationURL: `${issuer}/authorize`,
      tokenURL: `${issuer}/token`,
      userInfoURL: `${issuer}/userinfo`,
      clientID: clientId,
      clientSecret,
      callbackURL: `${origin}/callback`,
      scope: 'profile email',
      nonce: true,
    },
    (_issuer, profile, _context, idToken, done) => done(null, { name: profile.displayName, sub: profile.id, idToken }),
  ),
);
const begin = (prompt) => (req, res, next) => {
  if (req.isAuthenticated()) return sendAnswer(res, describeUser(req.user));
  return passport.authenticate('campus', { prompt, state: { returnTo: req.originalUrl } })(req, res, next);
};
site.get('/', (req, res) => sendAnswer(res, req.isAuthenticated() ? describeUser(req.user) : 'Signed out'));
site.get('/silent', begin('none'));
site.get('/courses/:id', begin());
site.get('/callback', passport.authenticate('campus'), ({ authInfo }, res) => res.redirect(authInfo.state.returnTo));
site.get('/sign-out', (req, res, next) => {
  const { idToken } = req.user;
  const query = new URLSearchParams({ id_token_hint: idToken, post_logout_redirect_uri: `${origin}/` });
  req.logout((error) => (error ? next(error) : res.redirect(`${issuer}/logout?${query}`)));
});
site.use((error, _req, res, _next) => sendAnswer(res, error.code ?? error.message));
serve(site);
