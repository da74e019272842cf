// cspell:ignore fastcgi uwsgi scgi
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { startService, waitUntilReady } from '../../../scripts/lib/processes.mjs';
import type { makeCertificate } from '../../../scripts/lib/tls.mjs';

/** Starts nginx, which serves https at `port` and passes requests to the HTTP server at `to`. */
export async function startTlsFront(
  dir: string,
  tls: ReturnType<typeof makeCertificate>,
  { port, to }: { port: number; to: number },
) {
  const folder = path.join(dir, `nginx-${String(port)}`);
  mkdirSync(folder);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  const file = path.join(folder, 'nginx.conf');
  writeFileSync(
    file,
    `${process.getuid?.() === 0 ? 'user root;' : ''} daemon off; pid ${folder}/nginx.pid; error_log ${folder}/error.log;
events {}
http {
access_log off; ${temporary.join(' ')}
ssl_certificate ${tls.certificate};
ssl_certificate_key ${tls.key};
# A policy and its hashes are a long header.
proxy_buffer_size 40k;
proxy_buffers 8 40k;
server {
  listen 127.0.0.1:${String(port)} ssl;
  location / {
    proxy_pass http://127.0.0.1:${String(to)};
    proxy_http_version 1.1;
    proxy_set_header Connection "";
    proxy_set_header Host $http_host;
    proxy_set_header X-Forwarded-For $remote_addr;
    proxy_set_header X-Forwarded-Host $http_host;
    proxy_set_header X-Forwarded-Proto $scheme;
  }
}
}
`,
  );
  const service = startService('nginx', ['nginx', '-e', `${folder}/error.log`, '-c', file], { logDir: folder });
  // This process does not trust the certificate. Without https, nginx responds with 400.
  await waitUntilReady(service, `http://127.0.0.1:${String(port)}`);
  return service;
}
