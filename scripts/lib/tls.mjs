// cspell:ignore newkey noenc pkeyopt paramgen keyout Acreateserial extfile
import { spawnSync } from 'node:child_process';
import { createHash, X509Certificate } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** @typedef {{ host: string, httpPort: number, httpsPort: number }} Site the host and ports of a proxy */
/**
 * @typedef {{ authority: string, fingerprint: string }} Trust `authority`: file of the authority's certificate.
 * `fingerprint`: hash of the key of a certificate that the proxy sends, as Chromium expects it in
 * `--ignore-certificate-errors-spki-list`
 */

/**
 * Makes a certificate authority and a certificate that it signed, by `openssl`.
 * @param {string} dir an existing folder for the files
 * @param {...string} hosts each may have a wildcard as its first label
 * @returns {Trust & { certificate: string, key: string }} files in PEM format
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

/**
 * Makes an expired version of a folder's certificate (`makeCertificate`), which ended yesterday.
 * @param {string} dir @returns {string} its file
 */
export function makeExpiredCertificate(dir) {
  const at = (/** @type {string} */ name) => path.join(dir, name);
  const signed = ['-CA', at('ca.pem'), '-CAkey', at('ca-key.pem'), '-CAcreateserial', '-extfile', at('names.conf')];
  openssl('x509', '-req', '-in', at('request.pem'), '-out', at('expired.pem'), ...signed, '-days', '-1');
  return at('expired.pem');
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
