import { expect, test } from 'vitest';
import { getDistance } from './test-tiers.mjs';

test('a test is nearest to a change of its own file or helpers, then to one of its subject', () => {
  const distance = (...changed: string[]) => getDistance('tests/integration/openid-logout.nightly.test.ts', changed);
  expect(distance('tests/integration/openid-logout.nightly.test.ts')).toBe(0);
  expect(distance('tests/support/openid-logout-tests.ts', 'lib/server/passkeys/index.ts')).toBe(0);
  expect(distance('lib/server/oidc/logouts.ts', 'docs/openid-connect.md')).toBe(1);
  expect(distance('lib/server/session/index.ts', 'tests/integration/passkeys.nightly.test.ts')).toBe(2);
});
