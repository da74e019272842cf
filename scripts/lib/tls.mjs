// cspell:ignore newkey noenc pkeyopt paramgen keyout Acreateserial extfile
import { spawnSync } from 'node:child_process';
import { createHash, X509Certificate } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** @typedef {{ host: string, httpPort: number, httpsPort: number }} Site what a proxy serves, and where */
/**
 * @typedef {{ authority: string, fingerprint: string }} Trust `authority`: its certificate, a file; `fingerprint`: of the key of a certificate
 *   that the proxy sends, as Chromium takes it in `--ignore-certificate-errors-spki-list`
 */

/**
 * Makes a certificate authority and a certificate of it, by `openssl`.
 * @param {string} dir an existing folder for the files
 * @param {...string} hosts each may have a wildcard as its first label
 * @returns {Trust & { certificate: string, key: string }} files in PEM
 */
export function makeCertificate(dir, ...hosts) {
  const at = (/** @type {string} */ name) => path.join(dir, name);
  const [authority, authorityKey, request] = [at('ca.pem'), at('ca-key.pem'), at('request.pem')];
  const [certificate, key] = [at('certificate.pem'), at('key.pem')];
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-noenc'];
  openssl('req', '-x509', ...newKey, '-keyout', authorityKey, '-out', authority, '-subj', '/CN=Tests', '-days', '2');
  openssl('req', ...newKey, '-keyout', key, '-out', request, '-subj', `/CN=${hosts[0]}`);
  writeFileSync(at('names.conf'), `subjectAltName=${hosts.map((host) => `DNS:${host}`).join(',')}\n`);
  const signed = ['-CA', authority, '-CAkey', authorityKey, '-CAcreateserial', '-extfile', at('names.conf')];
  openssl('x509', '-req', '-in', request, '-out', certificate, ...signed, '-days', '2');
  return { authority, certificate, key, fingerprint: getFingerprint(certificate) };
}

/** @param {string} certificate file @returns {string} the hash of its public key, in base64 */
export function getFingerprint(certificate) {
  const { publicKey } = new X509Certificate(readFileSync(certificate));
  return createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest('base64');
}

/** @param {...string} args */
function openssl(...args) {
  const { status, stderr } = spawnSync('openssl', args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`openssl ${args[0]} failed.\n${stderr}`);
}
