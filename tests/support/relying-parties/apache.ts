import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { startService, waitUntilReady } from '../../../scripts/lib/processes.mjs';
import { APACHE, APACHE_MODULES } from '../../../scripts/lib/test-tools.mjs';
import type { RelyingParty, Settings } from './issuer';

const NAMES = [
  ...['mpm_event', 'authn_core', 'authz_core', 'authz_user', 'auth_openidc'],
  ...['alias', 'dir', 'env', 'include', 'mime', 'setenvif'],
];

/** Returns the configuration of docs/openid/apache.md, with the page of a course. */
const describe = ({ origin, port, issuer, clientId, secret, authority }: Settings, folder: string) => `
ServerName ${origin}
UseCanonicalName On
Listen 127.0.0.1:${String(port)}
PidFile ${folder}/apache.pid
DefaultRuntimeDir ${folder}
ErrorLog ${folder}/error.log
DocumentRoot ${folder}/site
${NAMES.map((name) => `LoadModule ${name}_module ${APACHE_MODULES}/mod_${name}.so`).join('\n')}
TypesConfig /dev/null
AddType "text/html; charset=utf-8" .html
${process.getuid?.() === 0 ? 'User www-data\nGroup www-data' : ''}

OIDCProviderMetadataURL ${issuer}/.well-known/openid-configuration
OIDCClientID ${clientId}
OIDCClientSecret ${secret}
OIDCRedirectURI ${origin}/oidc/callback
OIDCCryptoPassphrase ${randomBytes(24).toString('hex')}
OIDCCABundlePath ${authority}
OIDCScope "openid profile email"
OIDCPKCEMethod S256
# By default 5 s, which a busy machine needs.
OIDCHTTPTimeoutShort 60
OIDCXForwardedHeaders X-Forwarded-Host X-Forwarded-Proto
OIDCRemoteUserClaim sub
OIDCDefaultURL ${origin}/

<Directory ${folder}/site>
  Options +Includes
  AddOutputFilter INCLUDES .html
  Require all granted
</Directory>
<Location /courses>
  AuthType openid-connect
  Require valid-user
</Location>
<Location /silent>
  AuthType openid-connect
  OIDCPathAuthRequestParams prompt=none
  Require valid-user
</Location>
<Location /oidc/callback>
  AuthType openid-connect
  Require valid-user
</Location>
AliasMatch ^/(courses/.*|silent)$ ${folder}/site/courses.html
Redirect 302 /sign-out ${origin}/oidc/callback?logout=${encodeURIComponent(`${origin}/`)}
`;

const COURSE = `<!doctype html><title>A course</title>
<p id="answer">Signed in as <!--#echo var="OIDC_CLAIM_name" -->, <!--#echo var="REMOTE_USER" --></p>
`;

async function start(settings: Settings) {
  const folder = path.join(settings.dir, 'apache');
  mkdirSync(path.join(folder, 'site'), { recursive: true });
  writeFileSync(path.join(folder, 'site/courses.html'), COURSE);
  writeFileSync(
    path.join(folder, 'site/index.html'),
    '<!doctype html><title>School</title><p id="answer">Signed out</p>',
  );
  const file = path.join(folder, 'apache.conf');
  writeFileSync(file, describe(settings, folder));
  const service = startService('apache', [APACHE, '-DFOREGROUND', '-f', file], { logDir: folder });
  await waitUntilReady(service, `http://127.0.0.1:${String(settings.port)}/`);
  return service;
}

export const apache: RelyingParty = {
  name: 'apache',
  describeClient: (origin, local) => ({
    redirectUris: [`${origin}/oidc/callback`],
    postLogoutRedirectUris: [`${origin}/`],
    backchannelLogoutUri: `${local}/oidc/callback?logout=backchannel`,
  }),
  start,
};
