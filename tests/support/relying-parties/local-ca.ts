import { spawnSync } from 'node:child_process';
import path from 'node:path';

export type LocalCa = {
  /** What a program has to trust: `NODE_EXTRA_CA_CERTS`, or the CA file of its own settings. */
  caFile: string;
  certificateFile: string;
  keyFile: string;
};

/**
 * Creates a certification authority in a folder, and a server certificate that it signed.
 * @param names hosts of the certificate, also with a wildcard for the first label
 */
export function createLocalCa(dir: string, names: string[]): LocalCa {
  const at = (name: string) => path.join(dir, name);
  const run = (...args: string[]) => {
    const { status, stderr } = spawnSync('openssl', args, { encoding: 'utf8', timeout: 60_000 });
    if (status !== 0) throw new Error(`openssl failed.\n${stderr}`);
  };
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'];
  const ca = ['-keyout', at('ca-key.pem'), '-out', at('ca.pem'), '-subj', '/CN=Local CA of the tests'];
  run('req', '-x509', ...key, ...ca, '-addext', 'keyUsage=critical,keyCertSign,cRLSign');
  const extensions = [
    `subjectAltName=${names.map((name) => `DNS:${name}`).join(',')}`,
    'basicConstraints=critical,CA:FALSE',
    'extendedKeyUsage=serverAuth',
  ].flatMap((extension) => ['-addext', extension]);
  const leaf = ['-keyout', at('key.pem'), '-out', at('certificate.pem'), '-subj', '/CN=Server of the tests'];
  run('req', '-x509', '-CA', at('ca.pem'), '-CAkey', at('ca-key.pem'), ...key, ...leaf, ...extensions);
  return { caFile: at('ca.pem'), certificateFile: at('certificate.pem'), keyFile: at('key.pem') };
}
