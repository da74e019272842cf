import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { REVOCATIONS } from './announcements';

test('docs/account-policy.md explains each reason for which a session ends', () => {
  const [, section = ''] = readFileSync('docs/account-policy.md', 'utf8').split('## Why a session ended\n');
  const [table = ''] = section.split('\n## ');
  const documented = [...table.matchAll(/^\| `([\w-]+)` \|/gm)].map(([, name]) => name);
  expect(documented).toEqual(['endedBy', 'sign-out', 'owner', 'expired', ...REVOCATIONS]);
});
