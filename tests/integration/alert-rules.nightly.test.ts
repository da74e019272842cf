import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { findOnPath } from '../../scripts/lib/system-packages.mjs';

describe.skipIf(findOnPath('promtool') === undefined)('promtool', () => {
  const run = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync('promtool', args, { encoding: 'utf8' });
    return { status, output: stdout + stderr };
  };

  it('finds the rules valid', () => {
    expect(run('check', 'rules', 'deploy/alerts.yaml')).toMatchObject({ status: 0 });
  });

  it('passes their unit tests', () => {
    const { status, output } = run('test', 'rules', 'deploy/alerts.test.yaml', 'deploy/alerts-weekly.test.yaml');
    expect(status, output).toBe(0);
  });
});
