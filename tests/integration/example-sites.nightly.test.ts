// Threats: open-redirect
import { execFile, spawnSync } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { root } from '../../scripts/lib/paths.mjs';
import { testExampleSites } from '../support/example-site-tests';
import { exampleSites, python } from '../support/example-sites';
import { listen } from '../support/listen';

testExampleSites(exampleSites);

test.runIf(python)('Django: an async view is refused where it is declared, instead of at each request', () => {
  const code = 'from identity import require_learner\n@require_learner\nasync def view(request): pass';
  const cwd = path.join(root, 'examples/django');
  const { status, stderr } = spawnSync(python ?? '', ['-c', code], { cwd, encoding: 'utf8', timeout: 60_000 });
  expect([status, stderr]).toEqual([1, expect.stringContaining('require_learner is for views that are not async')]);
});

/** Checks a session at the app that is named last, then at an app that is away. */
const CHECK_TWICE = {
  php: [
    ...['-d', 'apc.enable_cli=1', '-r'],
    `require 'identity.php';
    $_SERVER['HTTP_COOKIE'] = '_secure-user-session=a';
    foreach ([$argv[1], 'http://127.0.0.1:9'] as $origin) {
        putenv("IDENTITY_ORIGIN=$origin");
        echo get_session()['state'], PHP_EOL;
    }`,
    '--',
  ],
  django: [
    '-c',
    `import sys
from django.conf import settings
settings.configure()
from identity import get_session
class Request:
    META = {"HTTP_COOKIE": "_secure-user-session=a"}
for origin in (sys.argv[1], "http://127.0.0.1:9"):
    settings.IDENTITY_ORIGIN = origin
    print(get_session(Request)[0])`,
  ],
};

test.each(['php', 'django'] as const)('%s: sites of two sign-in apps can share a cache', async (folder) => {
  const site = exampleSites.find((one) => one.folder === folder);
  if (!site || site.missing !== null || !site.caches) return;
  const body = JSON.stringify({ uid: 'p3x', expiresAt: new Date(Date.now() + 3_600_000).toISOString() });
  const { port, stop } = await listen((_req, res) => void res.end(body));
  const [program = ''] = site.command('');
  const args = [...CHECK_TWICE[folder], `http://127.0.0.1:${port}`];
  const cwd = path.join(root, 'examples', folder);
  const { stdout } = await promisify(execFile)(program, args, { cwd, timeout: 60_000 });
  await stop();
  expect(stdout.trim().split('\n')).toEqual(['signed-in', 'unknown']);
});
