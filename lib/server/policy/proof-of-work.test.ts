// Threats: flooding, stuffing
import { describe, expect, it } from 'vitest';
import { decideGuard, type GuardDecision, type GuardFacts } from './proof-of-work';

const all = [true, false].flatMap((isOn) =>
  (['none', 'slow', 'soft'] as const).flatMap((passed) =>
    [true, false].flatMap((isKnownBrowser) =>
      (['none', 'accepted', 'refused'] as const).map((proof): GuardFacts => ({ isOn, passed, isKnownBrowser, proof })),
    ),
  ),
);

/** Written from docs/adr/0040, not from the code. */
function getExpected({ isOn, passed, isKnownBrowser, proof }: GuardFacts): GuardDecision {
  const isStranger = isOn && !isKnownBrowser;
  if (isStranger && passed === 'slow') return 'slow';
  if (isStranger && passed === 'soft' && proof !== 'accepted') return 'ask';
  return 'pass';
}

describe('what a call has to bring below the hard limits', () => {
  it.each(all)('%o', (facts) => {
    expect(decideGuard(facts)).toBe(getExpected(facts));
  });

  it('is each of the three at least once', () => {
    expect(new Set(all.map(decideGuard))).toEqual(new Set(['pass', 'slow', 'ask']));
  });
});
