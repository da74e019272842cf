// Threats: open-redirect
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../../scripts/lib/paths.mjs';
import { testExampleSites } from '../support/example-site-tests';
import { exampleSites, python } from '../support/example-sites';

testExampleSites(exampleSites.filter(({ folder }) => folder !== 'express'));

test.runIf(python)('Django: an async view is refused where it is declared, instead of at each request', () => {
  const code = 'from identity import require_learner\n@require_learner\nasync def view(request): pass';
  const cwd = path.join(root, 'examples/django');
  const { status, stderr } = spawnSync(python ?? '', ['-c', code], { cwd, encoding: 'utf8', timeout: 60_000 });
  expect([status, stderr]).toEqual([1, expect.stringContaining('require_learner is for views that are not async')]);
});
