// cspell:ignore fastcgi uwsgi scgi
// Threats: dependency-failure
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { hasCaddy, startCaddy } from '../../scripts/lib/caddy.mjs';
import { hasNginx, startNginxWithTls } from '../../scripts/lib/nginx.mjs';
import { freePorts } from '../../scripts/lib/ports.mjs';
import { startService, waitUntilListening } from '../../scripts/lib/processes.mjs';
import { askByHttps } from '../support/https-request';

const HOST = 'id.campus.localhost';
const PAGE = readFileSync('deploy/kubernetes/unavailable.html', 'utf8');

const PROXIES = [
  { name: 'nginx.conf', isThere: hasNginx(), start: startNginxWithTls },
  { name: 'Caddyfile', isThere: hasCaddy(), start: startCaddy },
];

type Answer = { status: number; headers: Record<string, unknown>; text: string };
type Ask = (method: string, target: string) => Promise<Answer>;

async function expectUnavailable(ask: Ask) {
  for (const target of ['/sign-in', '/actions?oobCode=a', '/account-settings/change-password', '/nowhere/api/x']) {
    const { status, headers, text } = await ask('GET', target);
    expect([target, status, text]).toEqual([target, 503, PAGE]);
    expect(headers).toMatchObject({ 'cache-control': 'no-store', 'retry-after': '15' });
    expect(headers['content-type']).toMatch(/^text\/html; charset=utf-8$/i);
    expect(headers['content-security-policy']).toContain("default-src 'none'");
  }
  for (const [method, target] of [
    ['GET', '/api/health/ready'],
    ['POST', '/api/create-user-session'],
    ['POST', '/api/check-auth-status'],
    ['POST', '/monitoring?x=1'],
    ['GET', '/__/auth/handler?x=1'],
  ] as const) {
    const { status, headers, text } = await ask(method, target);
    expect([target, status, headers['content-type']]).toEqual([target, 503, 'application/problem+json']);
    expect(JSON.parse(text)).toEqual({
      type: 'urn:problem:unavailable',
      title: 'unavailable',
      status: 503,
      code: 'unavailable',
    });
    expect(headers).toMatchObject({ 'cache-control': 'no-store', 'retry-after': '5' });
  }
}

describe.each(PROXIES)('$name as it is shipped', ({ isThere, start }) => {
  const startProxy = async (origins: string[]) => {
    const [httpPort = 0, httpsPort = 0] = await freePorts(2);
    const proxy = await start({ host: HOST, httpPort, httpsPort, origins, checkOrigins: origins });
    onTestFinished(() => proxy.stop());
    return (method: string, target: string) =>
      askByHttps({ host: HOST, httpsPort, authority: proxy.authority }, method, target);
  };

  test.skipIf(!isThere)('where no process answers, a page says so, and a call gets a problem', async () => {
    const ports = await freePorts(2);
    await expectUnavailable(await startProxy(ports.map((port) => `http://127.0.0.1:${String(port)}`)));
  });

  test.skipIf(!isThere)('what a process answers with the same status is passed on', async () => {
    const [port = 0] = await freePorts(1);
    const server = createServer(({ url }, res) =>
      res.writeHead(url === '/api/health/ready' ? 200 : 503, { 'content-type': 'application/problem+json' }).end('own'),
    );
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const ask = await startProxy([`http://127.0.0.1:${String(port)}`]);
    expect(await ask('POST', '/api/create-user-session')).toMatchObject({ status: 503, text: 'own' });
    expect(await ask('GET', '/security')).toMatchObject({ status: 503, text: 'own' });
  });
});

test.skipIf(!hasNginx())(
  'the default backend of the ingress sends the same, by the target that was asked for',
  async () => {
    const dir = mkdtempSync(path.join(os.tmpdir(), 'unavailable-'));
    const [port = 0] = await freePorts(1);
    mkdirSync(path.join(dir, 'html'));
    writeFileSync(path.join(dir, 'html/unavailable.html'), PAGE);
    const site = readFileSync('deploy/kubernetes/unavailable.conf', 'utf8')
      .replace('listen 8080', `listen 127.0.0.1:${String(port)}`)
      .replace('/usr/share/nginx/html', path.join(dir, 'html'));
    const file = path.join(dir, 'nginx.conf');
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (each) => `${each}_temp_path ${dir}/${each};`,
    );
    writeFileSync(
      file,
      `daemon off; pid ${dir}/nginx.pid; error_log ${dir}/error.log; user root; events {}
http { types { text/html html; } ${temporary.join(' ')}\n${site}}`,
    );
    const service = startService('nginx', ['nginx', '-e', path.join(dir, 'error.log'), '-c', file], { logDir: dir });
    onTestFinished(() => service.stop());
    await waitUntilListening(service, port);
    const send = async (method: string, target: string, headers: Record<string, string>) => {
      const answer = await fetch(`http://127.0.0.1:${String(port)}${target}`, { method, headers });
      return { status: answer.status, headers: Object.fromEntries(answer.headers), text: await answer.text() };
    };
    // The controller requests `/` with these headers. If a service has no endpoint, it requests the original address.
    await expectUnavailable((method, target) => send(method, '/', { 'x-code': '502', 'x-original-uri': target }));
  },
);

test('the page has the colors of the product, every language, and needs nothing else', () => {
  const tokens = readFileSync('components/ui/tokens.css', 'utf8');
  const colors = [...PAGE.matchAll(/^ +(--[\w-]+: #\w+;)$/gm)].map(([, line = '']) => line);
  expect(colors.length).toBeGreaterThan(10);
  expect(colors.filter((line) => !tokens.includes(line))).toEqual([]);
  const languages = [...PAGE.matchAll(/<(?:html|li) lang="([\w-]+)"/g)].map(([, code]) => code);
  expect(languages.toSorted()).toEqual(
    readdirSync('locales')
      .filter((name) => !name.startsWith('.'))
      .toSorted(),
  );
  expect(PAGE).not.toMatch(/<script|<link|\bsrc=|url\(|https?:(?!\/\/www\.w3\.org\/2000\/svg)/);
});
