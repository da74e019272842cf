// Threats: interleaved-change, planted-factor, unproved-rename, unnoticed-sign-in
import { expect, test, vi } from 'vitest';
import { UNHURRIED } from '../support/client';
import { prepare, serveInterleaved } from '../support/interleaved-changes';
import { FOREIGN_CHANGES, interleaveProvider } from '../support/interleaving';

/** The most important cells of the table of interleaved-changes.nightly.test.ts. */

const interleave = interleaveProvider();
const app = serveInterleaved();
vi.setConfig(UNHURRIED);

test.each([
  ['a second factor turned on', 'proved', 'email'],
  ['a password reset with a code', 'proved', 'email'],
  ['a sign-in disavowed', 'proved', 'link'],
  ['an email confirmed with a link', 'foreign', 'link'],
] as const)('%s: %s account, foreign %s at any moment in between', async (change, start, foreign) => {
  const moments = await interleave(app, () => prepare(app, change, start), FOREIGN_CHANGES[foreign]);
  expect(moments).toBeGreaterThan(3);
});
