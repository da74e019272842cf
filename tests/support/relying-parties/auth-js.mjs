import { ExpressAuth, getSession } from '@auth/express';
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

const PROVIDER = { id: 'campus', name: 'Campus', type: 'oidc', issuer, clientId, clientSecret };
const CHECKS = ['pkce', 'state', 'nonce'];
const COOKIE = '__Secure-authjs.session-token';

/** Auth.js signs out of only its own session, so the ID token is stored by account for the provider's sign-out. */
const idTokens = new Map();

const config = {
  trustHost: true,
  secret: clientSecret,
  providers: [{ ...PROVIDER, checks: CHECKS, authorization: { params: { scope: 'openid profile email' } } }],
  callbacks: {
    jwt({ token, account, profile }) {
      if (!account) return token;
      idTokens.set(profile.sub, account.id_token);
      return { ...token, sub: profile.sub, name: profile.name };
    },
    session: ({ session, token }) => ({ ...session, user: { name: token.name, sub: token.sub } }),
  },
};

const site = createSite();
site.use('/auth/*', ExpressAuth(config));
const answer = async (req, res, otherwise) => {
  const session = await getSession(req, config);
  return session ? sendAnswer(res, describeUser(session.user)) : otherwise();
};
site.get('/', (req, res) => answer(req, res, () => sendAnswer(res, 'Signed out')));
site.get('/courses/:id', (req, res) =>
  answer(req, res, () => res.redirect(`/auth/signin?callbackUrl=${encodeURIComponent(req.originalUrl)}`)),
);
// Its sign-in is a form with a CSRF token. The form's address takes further parameters for the provider.
site.get('/silent', (req, res) =>
  answer(req, res, () =>
    res.send(`<!doctype html><title>School</title>
      <form method="post" action="/auth/signin/campus?prompt=none">
        <input type="hidden" name="csrfToken"><input type="hidden" name="callbackUrl" value="/silent">
      </form>
      <script type="module">
        const form = document.forms[0];
        form.elements.csrfToken.value = (await (await fetch('/auth/csrf')).json()).csrfToken;
        form.submit();
      </script>`),
  ),
);
site.get('/sign-out', async (req, res) => {
  const session = await getSession(req, config);
  const query = new URLSearchParams({
    id_token_hint: idTokens.get(session?.user.sub) ?? '',
    post_logout_redirect_uri: `${origin}/`,
  });
  res.clearCookie(COOKIE, { secure: true, path: '/' }).redirect(`${issuer}/logout?${query}`);
});
serve(site);
