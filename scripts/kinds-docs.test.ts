import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ALL_EMAIL_KINDS } from '@/lib/server/notifications/email/email-contents';
import { buildKindsReference } from './kinds-docs';

test('docs/support/kinds.md is up to date with the texts (npm run docs)', () => {
  expect(readFileSync('docs/support/kinds.md', 'utf8')).toBe(buildKindsReference());
});

test('every kind of email has a row', () => {
  const reference = buildKindsReference();
  expect(ALL_EMAIL_KINDS.filter((kind) => !reference.includes(`| \`${kind}\` |`))).toEqual([]);
});
