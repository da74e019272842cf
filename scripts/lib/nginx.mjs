// cspell:ignore fastcgi uwsgi scgi
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { root } from './paths.mjs';
import { startService, waitUntilListening } from './processes.mjs';
import { findOnPath } from './system-packages.mjs';
import { makeCertificate } from './tls.mjs';

/** Returns whether `nginx` is on the PATH. */
export const hasNginx = () => findOnPath('nginx') !== undefined;

/**
 * @typedef {{ origins: string[], checkOrigins: string[] }} Processes `origins`: origins of the app's processes.
 * `checkOrigins`: origins of their listeners for session checks
 */

/**
 * Starts nginx with deploy/nginx.conf, adapted to this machine's names, ports and folders, and without TLS.
 * @param {Processes & { port: number }} options `port`: where nginx listens
 */
export async function startNginx({ port, ...processes }) {
  const origin = `http://localhost:${port}`;
  const nginx = await runShipped(processes, port, (shipped) =>
    shipped
      // Removes the redirect to https.
      .replace(/^server \{\n {4}listen 80;[^]*?^\}\n/m, '')
      .replaceAll(/^ {4}(?:ssl_|listen (?:80 |\[::\])).*\n/gm, '')
      .replaceAll(/listen 443 ssl/g, `listen 127.0.0.1:${port}`)
      .replace('server_name id.campus.example;', 'server_name localhost *.localhost;')
      // Sets the protocol as with TLS.
      .replace('X-Forwarded-Proto $scheme;', 'X-Forwarded-Proto https;')
      // Adds the port to the host.
      .replaceAll(/(proxy_set_header (?:Host|X-Forwarded-Host)) \$host;/g, '$1 $http_host;'),
  );
  return { origin, ...nginx };
}

/**
 * Starts nginx with deploy/nginx.conf including TLS, adapted to this machine's host, ports and folders.
 * @param {Processes & import('./tls.mjs').Site} options
 */
export async function startNginxWithTls({ host, httpPort, httpsPort, ...processes }) {
  const { authority, fingerprint, certificate, key } = makeCertificate(
    mkdtempSync(path.join(os.tmpdir(), 'tls-')),
    host,
  );
  const nginx = await runShipped(processes, httpsPort, (shipped) =>
    shipped
      .replaceAll('id.campus.example', host)
      .replaceAll(/^( {4}listen (?:\[::\]:)?)80\b/gm, `$1${httpPort}`)
      .replaceAll(/^( {4}listen (?:\[::\]:)?)443\b/gm, `$1${httpsPort}`)
      .replace('/etc/ssl/learner-identity/certificate.pem', certificate)
      .replace('/etc/ssl/learner-identity/key.pem', key),
  );
  return { authority, fingerprint, ...nginx };
}

/**
 * @param {Processes} processes
 * @param {number} port where nginx listens
 * @param {(shipped: string) => string} adapt changes what differs on this machine
 */
async function runShipped({ origins, checkOrigins }, port, adapt) {
  const dir = mkdtempSync(path.join(os.tmpdir(), 'nginx-'));
  const accessLog = path.join(dir, 'learner-identity.log');
  const shipped = readFileSync(path.join(root, 'deploy/nginx.conf'), 'utf8');
  // The shipped file's header comment shows the lines for the main file that includes it.
  const main = [...shipped.matchAll(/^# {5}(.*)$/gm)].map(([, line = '']) => line);
  const site = adapt(shipped)
    .replace(/^( {4}server 127\.0\.0\.1:)300[02]( .*\n).*\n/gm, (line, head, tail) =>
      (line.includes(':3000') ? origins : checkOrigins).map((each) => head + new URL(each).port + tail).join(''),
    )
    .replace('/etc/nginx/learner-identity;', `${path.join(root, 'deploy/kubernetes')};`)
    .replace('/var/cache/nginx/learner-identity', path.join(dir, 'cache'))
    .replaceAll('/var/log/nginx', dir);
  const folders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${dir}/${name};`,
  );
  const file = path.join(dir, 'nginx.conf');
  const errorLog = path.join(dir, 'error.log');
  mkdirSync(path.join(dir, 'cache'));
  writeFileSync(
    file,
    `${process.getuid?.() === 0 ? 'user root;' : ''} daemon off; pid ${dir}/nginx.pid; error_log ${errorLog};
${main.join('\n')}
http { ${folders.join(' ')}
${site}
}
`,
  );
  const service = startService('nginx', ['nginx', '-e', errorLog, '-c', file], { logDir: dir });
  await waitUntilListening(service, port);
  return {
    /**
     * Reads the cache states of the requests of a path: the last word of each line in the access log.
     * @param {string} target
     */
    readCacheStates: (target) =>
      readFileSync(accessLog, 'utf8')
        .split('\n')
        .filter((line) => line.includes(` ${target} HTTP/`))
        .map((line) => line.split(' ').at(-1) ?? ''),
    /** Returns the access log and the error log. */
    readLogs: () =>
      readdirSync(dir)
        .filter((name) => name.endsWith('.log'))
        .map((name) => readFileSync(path.join(dir, name), 'utf8'))
        .join(''),
    stop: service.stop,
  };
}
