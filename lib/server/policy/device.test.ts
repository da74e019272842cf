// ASVS: 3.3.1
// Threats: cookie-planting
import { describe, expect, test } from 'vitest';
import { decideDevice, type DeviceFacts } from './device';

const VALUES = {
  cookies: ['none', 'prefixed', 'plain', 'both'],
  isShared: [true, false],
  session: ['unknown', 'none', 'own', 'other'],
} as const satisfies { [K in keyof DeviceFacts]: readonly DeviceFacts[K][] };

const all = VALUES.cookies.flatMap((cookies) =>
  VALUES.isShared.flatMap((isShared) => VALUES.session.map((session) => ({ cookies, isShared, session }))),
);

/** The rules once more, as a table. */
function expectDecision({ cookies, isShared, session }: DeviceFacts) {
  const ofPlain = { unknown: 'new', none: 'adopt', own: 'adopt', other: 'new' } as const;
  return isShared
    ? 'none'
    : ({ none: 'new', prefixed: 'keep', both: 'keep', plain: ofPlain[session] } as const)[cookies];
}

test.each(all)('$cookies, shared $isShared, session $session', (facts) => {
  expect(decideDevice(facts)).toBe(expectDecision(facts));
});

test('covers every combination', () => expect(all).toHaveLength(4 * 2 * 4));

describe('whatever else is the case', () => {
  const results = (isMeant: (facts: DeviceFacts) => boolean) => new Set(all.filter(isMeant).map(decideDevice));

  test('a plain secret is never kept', () => {
    expect(results(({ cookies }) => cookies === 'plain')).not.toContain('keep');
  });

  test('a planted one that the account does not know makes no difference', () => {
    const planted = all.filter(({ cookies, session }) => cookies === 'plain' && session === 'unknown');
    for (const facts of planted) expect(decideDevice(facts)).toBe(decideDevice({ ...facts, cookies: 'none' }));
  });

  test('a plain one beside one with the prefix makes no difference', () => {
    const both = all.filter(({ cookies }) => cookies === 'both');
    for (const facts of both) expect(decideDevice(facts)).toBe(decideDevice({ ...facts, cookies: 'prefixed' }));
  });

  test('a copy of a plain secret is a new browser while the one that it was copied from is signed in', () => {
    expect(results(({ session, cookies }) => session === 'other' && cookies === 'plain')).not.toContain('adopt');
  });
});
