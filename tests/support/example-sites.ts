import { spawnSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { installed, root } from '../../scripts/lib/paths.mjs';
import { freePorts } from '../../scripts/lib/ports.mjs';
import { startService, waitUntilReady } from '../../scripts/lib/processes.mjs';
import { listen } from './listen';

export type ExampleSite = {
  folder: string;
  /** Why the site cannot run on this machine, or null if it can. */
  missing: string | null;
  command: (port: string) => string[];
  /** Whether this machine caches responses of the sign-in app. */
  caches: boolean;
};

const file = (name: string) => path.join(root, 'examples', name);
/** Debian's Python has Debian's Django. Another Python on the PATH may not have it. */
export const python = ['/usr/bin/python3', 'python3'].find((program) => succeeds(program, '-c', 'import django'));
const php = succeeds('php', '--version');
const apcu = ['-d', 'apc.enable_cli=1'];

export const exampleSites: ExampleSite[] = [
  { folder: 'express', missing: null, command: () => [process.execPath, file('express/server.mjs')], caches: true },
  {
    folder: 'nextjs',
    missing: null,
    command: (port) => [process.execPath, installed('next/dist/bin/next'), 'dev', file('nextjs'), '--port', port],
    caches: true,
  },
  {
    folder: 'django',
    missing: python ? null : 'no Python with Django: apt-get install python3-django',
    command: () => [python ?? 'python3', file('django/app.py')],
    caches: true,
  },
  {
    folder: 'php',
    missing: php ? null : 'no PHP: apt-get install php-cli',
    command: (port) => ['php', ...apcu, '-S', `127.0.0.1:${port}`, file('php/index.php')],
    caches: php && succeeds('php', ...apcu, '-r', 'exit(function_exists("apcu_enabled") && apcu_enabled() ? 0 : 1);'),
  },
];

function succeeds(program: string, ...args: string[]): boolean {
  return spawnSync(program, args, { timeout: 60_000 }).status === 0;
}

/** @param identityOrigin origin of the sign-in app @returns the site, whose public origin is `ownOrigin` */
export async function startExampleSite(site: ExampleSite, identityOrigin: string) {
  const [port = 0] = await freePorts(1);
  const ownOrigin = 'https://learn.campus.example';
  const settings = {
    PORT: String(port),
    OWN_ORIGIN: ownOrigin,
    IDENTITY_ORIGIN: identityOrigin,
  };
  const service = startService(site.folder, site.command(String(port)), {
    cwd: root,
    env: { NODE_ENV: 'development', NEXT_TELEMETRY_DISABLED: '1', ...settings },
    logDir: mkdtempSync(path.join(os.tmpdir(), 'example-')),
  });
  const origin = `http://127.0.0.1:${port}`;
  await waitUntilReady(service, `${origin}/`);
  return { origin, ownOrigin, stop: service.stop };
}

/** `expired`: the session ends right after the check. */
type Fault = 'none' | 'hangs' | 'breaks' | 'expired' | number;

/** Starts a proxy in front of the sign-in app that records a platform's requests and can fail. */
export async function startObservedApp(target: string) {
  const seen: { url: string; cookie: string | undefined }[] = [];
  let fault: Fault = 'none';
  const { port, stop } = await listen((req, res) => {
    const { url = '', headers, method = '' } = req;
    seen.push({ url, cookie: headers.cookie });
    if (fault === 'hangs') return;
    if (fault === 'breaks') return void req.socket.destroy();
    // This redirect leads to a page that responds with 200, which must not count as signed in.
    if (typeof fault === 'number') return void res.writeHead(fault, { location: '/api/health/live' }).end('{}');
    const expiresAt = fault === 'expired' ? { expiresAt: new Date().toISOString() } : {};
    void fetch(target + url, { method, headers: { cookie: headers.cookie ?? '' } }).then(async (answer) =>
      res.writeHead(answer.status).end(JSON.stringify({ ...((await answer.json()) as object), ...expiresAt })),
    );
  });
  const fail = (next: Fault) => void (fault = next);
  return { origin: `http://127.0.0.1:${port}`, seen, fail, stop };
}
