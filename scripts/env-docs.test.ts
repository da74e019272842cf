import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { VARIABLES } from '@/lib/server/runtime/config/schema';
import { MEANINGS, buildConfigurationReference } from './env-docs';

test('docs/configuration.md is up to date with the schema (npm run docs)', () => {
  expect(readFileSync('docs/configuration.md', 'utf8')).toBe(buildConfigurationReference());
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
