// cspell:ignore fastcgi uwsgi scgi rlimit
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { hasNginx } from '../../scripts/lib/nginx.mjs';
import { freePorts } from '../../scripts/lib/ports.mjs';
import { startService, waitUntilListening } from '../../scripts/lib/processes.mjs';

test.skipIf(!hasNginx())('the proxy that docs/deployment.md makes on one machine leads to no other host', async () => {
  const dir = mkdtempSync(path.join(os.tmpdir(), 'local-proxy-'));
  const text = readFileSync('docs/deployment.md', 'utf8');
  const [, script = ''] = /^(\{\n {2}echo 'worker_rlimit[^]*?^\}) >\/tmp\/nginx\.conf$/m.exec(text) ?? [];
  const made = execFileSync('sh', ['-c', script], { encoding: 'utf8' });
  const [port = 0, ...apps] = await freePorts(3);
  const server = createServer(({ headers, url }, res) => res.end(JSON.stringify({ host: headers.host, url })));
  await new Promise<void>((resolve) => server.listen(apps[0], '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  // Ports and folders of this test alone.
  const file = path.join(dir, 'nginx.conf');
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${dir}/${name};`,
  );
  writeFileSync(
    file,
    `user root; daemon off; pid ${dir}/nginx.pid; error_log ${dir}/error.log;\n${made}`
      .replace('http {', `http { ${temporary.join(' ')}`)
      .replace('listen 8080', `listen 127.0.0.1:${String(port)}`)
      .replaceAll(/127\.0\.0\.1:300\d/g, `127.0.0.1:${String(apps[0])}`)
      .replaceAll(/\/var\/(?:log\/nginx|cache\/nginx)/g, dir),
  );
  const service = startService('nginx', ['nginx', '-e', path.join(dir, 'error.log'), '-c', file], { logDir: dir });
  onTestFinished(() => service.stop());
  await waitUntilListening(service, port);
  const host = `localhost:${String(port)}`;
  const answer = await fetch(`http://${host}/security?x=1`, { redirect: 'manual' });
  expect([answer.status, await answer.json()]).toEqual([200, { host, url: '/security?x=1' }]);
});
