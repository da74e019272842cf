// ASVS: 7.4.1
// Threats: stolen-session
import { describe, expect, test } from 'vitest';
import { decideOpening, type OpeningFacts } from './sign-in';

const VALUES = {
  evidence: ['fresh-proof', 'old-proof', 'cookie', 'replacement'],
  session: ['none', 'live', 'ended'],
  device: ['same', 'other'],
  isSameProof: [true, false],
  isProofEnded: [true, false],
} as const satisfies { [K in keyof OpeningFacts]: readonly OpeningFacts[K][] };

const all = Object.entries(VALUES).reduce<Partial<OpeningFacts>[]>(
  (facts, [name, values]) => facts.flatMap((some) => values.map((value) => ({ ...some, [name]: value }))),
  [{}],
) as OpeningFacts[];

/** An outcome or the code of a refusal. */
function getResult(facts: OpeningFacts): string {
  const decision = decideOpening(facts);
  return decision.outcome === 'refuse' ? decision.code : decision.outcome;
}

/** The same rules, written by session instead of by evidence. */
function expectResult({ evidence, session, device, isSameProof, isProofEnded }: OpeningFacts): string {
  const isOwn = session === 'live' && device === 'same';
  const isCopied = session === 'live' && device === 'other';
  if (isOwn && evidence !== 'replacement' && (evidence !== 'fresh-proof' || isSameProof)) return 'continue';
  if (isCopied && evidence !== 'fresh-proof') return 'recent-login-required';
  if (evidence === 'cookie') return 'session-required';
  if (evidence === 'old-proof' || (evidence === 'fresh-proof' && isProofEnded)) return 'recent-login-required';
  return 'open';
}

test.each(all)('$evidence, session $session, device $device, $isSameProof, $isProofEnded', (facts) => {
  expect(getResult(facts)).toBe(expectResult(facts));
});

test('covers every combination', () => {
  expect(all).toHaveLength(4 * 3 * 2 * 2 * 2);
});

describe('whatever else is the case', () => {
  const having = (some: Partial<OpeningFacts>) =>
    all.filter((facts) => Object.entries(some).every(([name, value]) => facts[name as keyof OpeningFacts] === value));
  const results = (some: Partial<OpeningFacts>) => new Set(having(some).map(getResult));

  test('an old proof opens nothing without a session of the browser', () => {
    for (const session of ['none', 'ended'] as const)
      expect(results({ evidence: 'old-proof', session })).toEqual(new Set(['recent-login-required']));
  });

  test('an old proof opens nothing for another browser than that of the live session', () => {
    const copied = { evidence: 'old-proof', session: 'live', device: 'other' } as const;
    expect(results(copied)).toEqual(new Set(['recent-login-required']));
  });

  test('a cookie alone opens nothing, and continues nothing that is not live and of the same browser', () => {
    const continued = having({ evidence: 'cookie' }).filter((facts) => getResult(facts) === 'continue');
    expect(results({ evidence: 'cookie' })).not.toContain('open');
    expect(new Set(continued.map(({ session, device }) => `${session} ${device}`))).toEqual(new Set(['live same']));
  });

  test('a proof of which the owner ended a session opens none, and continues none but its own live one', () => {
    const ended = { evidence: 'fresh-proof', isProofEnded: true } as const;
    const continued = having(ended).filter((facts) => getResult(facts) !== 'recent-login-required');
    const found = continued.map(
      (facts) => `${getResult(facts)} ${facts.session} ${facts.device} ${String(facts.isSameProof)}`,
    );
    expect(new Set(found)).toEqual(new Set(['continue live same true']));
  });
});
