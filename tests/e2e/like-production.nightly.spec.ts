// Runs the commands of docs/deploy/trial.md, copied from the document.
// cspell:ignore fastcgi uwsgi scgi
import { expect, test } from '@playwright/test';
import { execa } from 'execa';
import { mkdtempSync, readFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { hasNginx } from '../../scripts/lib/nginx.mjs';
import { testDistDir } from '../../scripts/lib/paths.mjs';
import { freePorts } from '../../scripts/lib/ports.mjs';
import { findPostgres, startOwnPostgres } from '../../scripts/lib/postgres.mjs';
import { hasRedis, startRedis } from '../../scripts/lib/services.mjs';
import type { Endpoints } from '../../scripts/lib/stack.mjs';
import { createAccountsClient } from '../support/accounts-client';
import { CookieJar } from '../support/client';
import { readCommands, readDocument } from '../support/documents';
import { mailsBesidesAlerts } from '../support/mail';
import { longLimits } from '../support/time-limits';

const shared = JSON.parse(process.env.E2E_ENDPOINTS ?? '{}') as Endpoints;
test.describe.configure({ timeout: 600_000 });
test.skip(!findPostgres() || !hasNginx() || !hasRedis(), 'PostgreSQL, nginx or Redis is missing.');

const PORTS = ['8080', '3000', '3001', '3002', '3003', '9099', '6379'];

test('the commands for a trial like production lead to a deployment that works, and goes on without a process', async () => {
  const dir = mkdtempSync(path.join(os.tmpdir(), 'like-production-'));
  const commands = readCommands(readDocument('deploy/trial.md'));
  const [begin = '', proxy = ''] = ['cli doctor', 'sudo nginx -c'].map((part) =>
    commands.find((each) => each.includes(part)),
  );
  const free = await freePorts(PORTS.length);
  const ports = new Map([...PORTS.map((port, at): [string, number] => [port, free[at] ?? 0])]);
  const [redis, postgres] = [await startRedis({ port: ports.get('6379') ?? 0, dir }), await startOwnPostgres()];
  /** Replaces ports, folders and services by those of this test. */
  const adapt = (commands: string) =>
    commands
      .replaceAll(/\b\d{4}\b/g, (port) => String(ports.get(port) ?? port))
      .replaceAll('/tmp/', `${dir}/`)
      .replace('smtp://localhost:1025', shared.smtpUrl)
      .replace('@localhost/', `@localhost:${new URL(postgres.url).port}/`)
      .replaceAll('.next/', `${testDistDir}/`);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${dir}/${name};`,
  );
  const changes = [
    `1i user root; daemon off; pid ${dir}/nginx.pid;`,
    `s#http {#http { ${temporary.join(' ')}#`,
    `s#/var/\\(log\\|cache\\)/nginx#${dir}#`,
    ...['3000', '3001', '3002', '3003'].map((port) => `s/127.0.0.1:${port}/127.0.0.1:${String(ports.get(port))}/`),
  ];
  const shell = execa('bash', {
    input: undefined,
    stdin: 'pipe',
    all: true,
    reject: false,
    env: {
      ...longLimits,
      ...{ PATH: `${findPostgres() ?? ''}:${process.env.PATH ?? ''}`, CI: 'true', TMPDIR: dir, XDG_CONFIG_HOME: dir },
    },
  });
  let output = '';
  shell.all.on('data', (text: Buffer) => (output += text.toString()));
  // Programs in the background must not read the commands that follow.
  const type = (commands: string) => shell.stdin.write(`{\n${commands}\n} </dev/null\n`);
  const getOutput = () => output;
  type(`set -m; trap 'trap "" TERM; for each in $(jobs -p); do kill -- -$each; done; wait' EXIT; trap 'exit' TERM
    sudo() { if [ "$1" = -u ]; then shift 2; fi; "$@"; }
    psql() { command psql '${postgres.url}' "$@"; }
    npm() { :; }
    nginx() { ${changes.map((change) => `sed -i '${change}' "$2"`).join('; ')}; command nginx -e ${dir}/nginx.log "$@" & }`);

  let isOver = false;
  try {
    type(adapt(begin));
    type('echo "The doctor ends with $?."');
    await expect.poll(getOutput, { timeout: 300_000 }).toContain('The doctor ends with 0.');
    type(adapt(proxy));
    const origin = `http://localhost:${String(ports.get('8080'))}`;
    const open = (to: string) => fetch(origin + to, { redirect: 'manual' });
    await expect
      .poll(() =>
        open('/sign-in').then(
          ({ status }) => status,
          () => 0,
        ),
      )
      .toBe(200);
    const { status, headers } = await open('/security');
    const next = new URL(headers.get('location') ?? '', origin).href;
    expect([status, next]).toEqual([307, `${origin}/sign-in?return_to=security`]);

    const emulatorHost = `localhost:${String(ports.get('9099'))}`;
    const accounts = createAccountsClient({ emulatorHost, projectId: 'demo-campus' });
    const [user, browser] = [await accounts.create(), new CookieJar({ origin, 'sec-fetch-site': 'same-origin' })];
    const call = async (to: string, body = {}) => (await browser.post(`${origin}/api/${to}`, body)).status;
    expect(await call('create-user-session', { token: await accounts.idToken(user) })).toBe(200);
    expect(await call('password-reset', { email: user.email })).toBe(200);
    await mailsBesidesAlerts(shared, user.email);

    type('stop 1');
    await expect.poll(() => readFileSync(path.join(dir, 'app-1.log'), 'utf8')).toContain('"msg":"stopped"');
    expect(await call('check-auth-status')).toBe(200);
    expect((await open('/registration')).status).toBe(200);
    isOver = true;
  } finally {
    shell.stdin.end('exit\n');
    // The shell may wait for something that never comes.
    if (!isOver) shell.kill('SIGTERM');
    await shell;
    await Promise.all([redis.stop(), postgres.stop()]);
  }
});
