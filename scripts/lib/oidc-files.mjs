import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** Returns the school's origin, which is on another domain than the app. @param {number} port */
export const getSchoolOrigin = (port) => `http://school.localhost:${port}`;

/**
 * Writes the files that the OpenID Provider needs on this machine: the school as its only client, and a key.
 * @param {string} dir @param {number} schoolPort
 */
export function writeOidcFiles(dir, schoolPort) {
  const folder = path.join(dir, 'oidc');
  mkdirSync(folder, { recursive: true });
  const write = (/** @type {string} */ name, /** @type {string} */ content) => {
    writeFileSync(path.join(folder, name), content, { mode: 0o600 });
    return path.join(folder, name);
  };
  const secret = randomBytes(32).toString('hex');
  const origin = getSchoolOrigin(schoolPort);
  const school = {
    name: 'Lakeside School',
    redirectUris: [`${origin}/callback`],
    postLogoutRedirectUris: [`${origin}/?problem=signed-out`],
    // Node cannot resolve subdomains of localhost on every system.
    backchannelLogoutUri: `http://localhost:${schoolPort}/backchannel-logout`,
    authentication: 'client_secret_post',
    secretFile: write('school-secret', secret),
  };
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const key = { ...privateKey.export({ format: 'jwk' }), kid: 'local', use: 'sig' };
  /** @type {Record<string, string>} */
  const env = {
    OIDC_CLIENTS_FILE: write('clients.json', JSON.stringify({ clients: { school } }, null, 2)),
    OIDC_KEYS_FILE: write('keys.json', JSON.stringify({ keys: [key] })),
  };
  return { env, secret };
}
