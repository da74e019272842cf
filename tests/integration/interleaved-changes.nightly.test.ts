// Threats: interleaved-change, planted-factor, unproved-rename, unnoticed-sign-in, pre-hijacking
import { describe, expect, test, vi } from 'vitest';
import { FIRST_PROOFS, OWN_CHANGES, prepare, serveInterleaved, type Start } from '../support/interleaved-changes';
import { FOREIGN_CHANGES, interleaveProvider } from '../support/interleaving';

const interleave = interleaveProvider();
const app = serveInterleaved();
vi.setConfig({ testTimeout: 600_000 });

type Foreign = keyof typeof FOREIGN_CHANGES;
const testMoments = (change: string, start: Start, foreign: Foreign) =>
  test(`${start} account, foreign ${foreign}`, async () => {
    const moments = await interleave(app, () => prepare(app, change, start), FOREIGN_CHANGES[foreign]);
    // What reads the account and changes it makes more calls; the import looks two names up and imports.
    expect(moments).toBeGreaterThan(1);
  });

describe.each(Object.keys(OWN_CHANGES))('%s', (change) => {
  testMoments(change, 'proved', 'email');
  testMoments(change, 'verified', 'email');
  testMoments(change, 'proved', 'password');
  testMoments(change, 'proved', 'link');
});

describe.each(Object.keys(FIRST_PROOFS))('%s', (change) => {
  testMoments(change, 'foreign', 'email');
  testMoments(change, 'foreign', 'password');
  testMoments(change, 'foreign', 'link');
});
