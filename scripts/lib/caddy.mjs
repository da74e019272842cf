import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { root } from './paths.mjs';
import { startService, waitUntilListening, waitUntilLogged } from './processes.mjs';
import { findOnPath } from './system-packages.mjs';
import { getFingerprint } from './tls.mjs';

/** Returns whether `caddy` is on the PATH. */
export const hasCaddy = () => findOnPath('caddy') !== undefined;

/**
 * Starts Caddy with deploy/Caddyfile. Only the ports, the process names and the certificate authority differ, which is
 * local.
 * @param {import('./nginx.mjs').Processes & import('./tls.mjs').Site} options
 * @returns {Promise<import('./tls.mjs').Trust & { readLogs: () => string, stop: () => Promise<void> }>}
 */
export async function startCaddy({ host, httpPort, httpsPort, origins, checkOrigins }) {
  const dir = mkdtempSync(path.join(os.tmpdir(), 'caddy-'));
  const getAddress = (/** @type {string} */ process, /** @type {string} */ port) => {
    const all = port === '3002' ? checkOrigins : origins;
    return `127.0.0.1:${new URL(all[Number(process) - 1] ?? all[0] ?? '').port}`;
  };
  const adapted = readFileSync(path.join(root, 'deploy/Caddyfile'), 'utf8')
    // Replaces the public certificate authority, which would have to reach this host.
    .replace(
      /^\{\n/m,
      `{\n\tlocal_certs\n\tskip_install_trust\n\tadmin off\n\thttp_port ${httpPort}\n\thttps_port ${httpsPort}\n`,
    )
    .replace('root * /etc/caddy', `root * ${path.join(root, 'deploy/kubernetes')}`)
    .replaceAll(/\bapp-([12]):(300[02])\b/g, (_, process, port) => getAddress(process, port));
  const file = path.join(dir, 'Caddyfile');
  writeFileSync(
    file,
    isBefore27() ? adapted.replaceAll(/\brequest_buffers (\S+)/g, 'buffer_requests\n\t\tmax_buffer_size $1') : adapted,
  );
  const env = { SITE_ADDRESS: host, HOME: dir, XDG_DATA_HOME: dir, XDG_CONFIG_HOME: dir };
  const service = startService('caddy', ['caddy', 'run', '--adapter', 'caddyfile', '--config', file], {
    env,
    logDir: dir,
  });
  await waitUntilListening(service, httpsPort);
  // Caddy refuses every handshake until it has a certificate.
  await waitUntilLogged(service, 'certificate obtained successfully');
  const authority = path.join(dir, 'caddy/pki/authorities/local/root.crt');
  return {
    authority,
    fingerprint: getFingerprint(authority.replace('root', 'intermediate')),
    readLogs: () => readFileSync(service.logFile, 'utf8'),
    stop: service.stop,
  };
}

/** Debian's version has this setting under an older name. */
function isBefore27() {
  const [, major = 0, minor = 0] =
    /v?(\d+)\.(\d+)/.exec(spawnSync('caddy', ['version'], { encoding: 'utf8' }).stdout) ?? [];
  return Number(major) === 2 && Number(minor) < 7;
}
