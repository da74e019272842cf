import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { VARIABLES } from '@/lib/server/runtime/config/schema';
import { MEANINGS, buildConfigurationReference, buildEnvExample } from './env-docs';

test('docs/configuration.md is up to date with the schema (npm run docs)', () => {
  expect(readFileSync('docs/configuration.md', 'utf8')).toBe(buildConfigurationReference());
});

test('.env.example is up to date with the schema (npm run docs)', () => {
  expect(readFileSync('.env.example', 'utf8')).toBe(buildEnvExample());
});

test('.env.example is plain text, and lists the values of a choice', () => {
  const example = buildEnvExample();
  expect(example).not.toMatch(/\]\(|\*\*/);
  expect(example).toMatch(/One of: debug, info, warn, error, silent\.\nLOG_LEVEL=info\n/);
  expect(example).toContain('\nNEXT_PUBLIC_NAME_LENGTH=3-28\n');
  expect(
    Math.max(
      ...example
        .split('\n')
        .filter((line) => line.startsWith('# '))
        .map((line) => line.length),
    ),
  ).toBeLessThanOrEqual(120);
});

test('every variable belongs to one group', () => {
  expect(Object.values(MEANINGS).flatMap(Object.keys).sort()).toEqual([...VARIABLES].sort());
});

test('kinds and defaults come from the schema', () => {
  const row = (name: string) => new RegExp(`^\\| \`${name}\` \\|.*`, 'm').exec(buildConfigurationReference())?.[0];
  expect(row('LOG_LEVEL')).toMatch(/`debug`, `info`.*\| `info` \|$/);
  expect(row('TRUSTED_PROXY_HOPS')).toMatch(/\| 0 to 10 \| `0` \|$/);
  expect(row('REDIS_URL')).toMatch(/\*\*Secret\.\*\* \| text \| none \|$/);
  expect(row('NEXT_PUBLIC_PLATFORM_ORIGIN')).toMatch(/\| URL \| `http:\/\/localhost:3001` \|$/);
});

test('it contains no value of a secret', () => {
  expect(buildConfigurationReference()).not.toContain('c2FtcGxl');
});
