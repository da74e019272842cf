import { fileURLToPath } from 'node:url';
import { clientId, createSite, issuer, origin, serve } from './express-site.mjs';

/** The build for browsers is beside the build for bundlers. */
const SCRIPT = fileURLToPath(new URL('../browser/oidc-client-ts.min.js', import.meta.resolve('oidc-client-ts')));

/** A page without its own server code. It is served at each of the site's addresses. */
const PAGE = `<!doctype html><meta charset="utf-8"><title>School</title><p id="answer"></p>
<script src="/oidc-client-ts.js"></script>
<script type="module">
  const show = (text) => (document.getElementById('answer').textContent = text);
  const manager = new oidc.UserManager({
    authority: ${JSON.stringify(issuer)},
    client_id: ${JSON.stringify(clientId)},
    redirect_uri: ${JSON.stringify(`${origin}/callback`)},
    post_logout_redirect_uri: ${JSON.stringify(`${origin}/`)},
    silent_redirect_uri: ${JSON.stringify(`${origin}/frame`)},
    scope: 'openid profile email',
    loadUserInfo: true,
    automaticSilentRenew: false,
    revokeTokensOnSignout: true,
    silentRequestTimeoutInSeconds: 60,
  });
  const describe = ({ profile }) => 'Signed in as ' + profile.name + ', ' + profile.sub;
  const begin = (more) => manager.signinRedirect({ url_state: location.pathname + location.search, ...more });
  const pages = {
    '/': () => show('Signed out'),
    '/silent': () => begin({ prompt: 'none' }),
    '/frame': () => manager.signinSilentCallback(),
    '/callback': async () => {
      const user = await manager.signinCallback();
      history.replaceState({}, '', user.url_state);
      show(describe(user));
    },
    '/sign-out': () => manager.signoutRedirect(),
    '/renew': async () => show('Renewed for ' + (await manager.signinSilent()).profile.sub),
    '/renew-in-frame': async () =>
      show('Renewed for ' + (await manager.signinSilent({ forceIframeAuth: true })).profile.sub),
  };
  const user = await manager.getUser();
  const isWanted = /^\\/(courses|silent)/.test(location.pathname);
  try {
    if (user && isWanted) show(describe(user));
    else await (pages[location.pathname] ?? begin)();
  } catch (error) {
    show(error.error ?? error.message);
  }
</script>`;

const site = createSite();
site.get('/oidc-client-ts.js', (_req, res) => res.sendFile(SCRIPT));
site.get('*', (_req, res) => res.send(PAGE));
serve(site);
