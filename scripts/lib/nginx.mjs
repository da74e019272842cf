// cspell:ignore fastcgi uwsgi scgi
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { root } from './paths.mjs';
import { startService, waitUntilReady } from './processes.mjs';
import { findOnPath } from './system-packages.mjs';

/** Whether an `nginx` is on the PATH. */
export const hasNginx = () => findOnPath('nginx') !== undefined;

/**
 * Starts nginx with deploy/nginx.conf, but for TLS, ports and folders, and with names of this machine.
 * @param {{ port: number, origins: string[], checkOrigins: string[] }} options `port`: where it listens; `origins`: of the processes of the
 *   app; `checkOrigins`: of their listeners for session checks
 */
export async function startNginx({ port, origins, checkOrigins }) {
  const dir = mkdtempSync(path.join(os.tmpdir(), 'nginx-'));
  const accessLog = path.join(dir, 'learner-identity.log');
  const shipped = readFileSync(path.join(root, 'deploy/nginx.conf'), 'utf8');
  // What it says about the file that includes it.
  const main = [...shipped.matchAll(/^# {5}(.*)$/gm)].map(([, line = '']) => line);
  const site = shipped
    // The redirect to https.
    .replace(/^server \{\n {4}listen 80;[^]*?^\}\n/m, '')
    .replaceAll(/^ {4}(?:ssl_|listen (?:80 |\[::\])).*\n/gm, '')
    .replaceAll(/listen 443 ssl/g, `listen 127.0.0.1:${port}`)
    .replace('server_name id.campus.example;', 'server_name localhost *.localhost;')
    .replace(/^( {4}server 127\.0\.0\.1:)300[02]( .*\n).*\n/gm, (line, head, tail) =>
      (line.includes(':3000') ? origins : checkOrigins).map((each) => head + new URL(each).port + tail).join(''),
    )
    // With the port.
    .replaceAll(/(proxy_set_header (?:Host|X-Forwarded-Host)) \$host;/g, '$1 $http_host;')
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
  const origin = `http://localhost:${port}`;
  await waitUntilReady(service, `${origin}/api/health/live`);
  return {
    origin,
    /**
     * What its cache did for the requests of a path so far: the last word of a line in the access log.
     * @param {string} target
     */
    readCacheStates: (target) =>
      readFileSync(accessLog, 'utf8')
        .split('\n')
        .filter((line) => line.includes(` ${target} HTTP/`))
        .map((line) => line.split(' ').at(-1) ?? ''),
    /** All that it has logged, about requests and errors. */
    readLogs: () =>
      readdirSync(dir)
        .filter((name) => name.endsWith('.log'))
        .map((name) => readFileSync(path.join(dir, name), 'utf8'))
        .join(''),
    stop: service.stop,
  };
}
