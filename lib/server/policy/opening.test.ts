// ASVS: 7.4.1
// Threats: stolen-session
import { describe, expect, test } from 'vitest';
import { decideOpening, type OpeningFacts } from './sign-in';

const VALUES = {
  evidence: ['fresh-proof', 'old-proof', 'renewal', 'replacement', 'step-up', 'own-browser'],
  records: ['none', 'here', 'away'],
  session: ['none', 'live', 'ended', 'unrecorded'],
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

/** The rules once more, written by their purpose instead of by evidence. */
function expectResult(facts: OpeningFacts): string {
  const { evidence, records, session, device, isSameProof, isProofEnded } = facts;
  const isProof = evidence === 'fresh-proof' || evidence === 'replacement';
  if (records === 'none') return ['renewal', 'step-up'].includes(evidence) ? 'not-found' : 'unrecorded';
  if (records === 'away') return isProof ? 'unrecorded' : 'records-unavailable';
  if (evidence === 'own-browser' && ['ended', 'none'].includes(session)) return 'session-required';
  if (evidence === 'own-browser')
    return session === 'live' && device === 'other' ? 'recent-login-required' : 'continue';
  if (evidence === 'replacement') return session === 'live' && device === 'other' ? 'recent-login-required' : 'open';
  if (evidence === 'step-up' && session === 'unrecorded') return 'adopt';
  if (evidence === 'renewal' || evidence === 'step-up') {
    const results = { none: 'session-required', ended: 'session-required', unrecorded: 'not-found' };
    const ofDevice = { same: 'continue', other: 'recent-login-required' };
    return session === 'live' ? ofDevice[device] : results[session];
  }
  const isItsOwn = isSameProof && session === 'live' && device !== 'other';
  if (evidence === 'fresh-proof' && isProofEnded) return isItsOwn ? 'continue' : 'recent-login-required';
  if (evidence === 'fresh-proof' && !isSameProof) return 'open';
  const otherwise = isProof ? 'open' : 'recent-login-required';
  if (session === 'live') return device === 'other' ? otherwise : 'continue';
  return session === 'unrecorded' ? 'adopt' : otherwise;
}

test.each(all)(
  '$evidence, records $records, session $session, device $device, $isSameProof, $isProofEnded',
  (facts) => {
    expect(getResult(facts)).toBe(expectResult(facts));
  },
);

test('covers every combination', () => {
  expect(all).toHaveLength(6 * 3 * 4 * 2 * 2 * 2);
});

describe('whatever else is the case', () => {
  const having = (some: Partial<OpeningFacts>) =>
    all.filter((facts) => Object.entries(some).every(([name, value]) => facts[name as keyof OpeningFacts] === value));
  const results = (some: Partial<OpeningFacts>) => new Set(having(some).map(getResult));

  test('an old proof opens nothing without a session of the browser', () => {
    for (const session of ['none', 'ended'] as const)
      expect(results({ evidence: 'old-proof', records: 'here', session })).toEqual(new Set(['recent-login-required']));
  });

  test('an old proof opens nothing for another browser than that of the live session', () => {
    const copied = { evidence: 'old-proof', records: 'here', session: 'live', device: 'other' } as const;
    expect(results(copied)).toEqual(new Set(['recent-login-required']));
  });

  test('a cookie alone renews nothing that is not live, recorded and of the same browser', () => {
    const renewed = having({ evidence: 'renewal' }).filter((facts) => getResult(facts) === 'continue');
    expect(new Set(renewed.map(({ records, session, device }) => `${records} ${session} ${device}`))).toEqual(
      new Set(['here live same']),
    );
  });

  test('a proof of which the owner ended a session opens none, and continues none but its own live one', () => {
    const ended = { evidence: 'fresh-proof', records: 'here', isProofEnded: true } as const;
    const continued = having(ended).filter((facts) => getResult(facts) !== 'recent-login-required');
    const found = continued.map(
      (facts) => `${getResult(facts)} ${facts.session} ${facts.device} ${String(facts.isSameProof)}`,
    );
    expect(new Set(found)).toEqual(new Set(['continue live same true']));
  });

  test('while the database is away, only a proof opens a session', () => {
    expect(results({ records: 'away', evidence: 'old-proof' })).toEqual(new Set(['records-unavailable']));
    expect(results({ records: 'away', evidence: 'renewal' })).toEqual(new Set(['records-unavailable']));
    expect(results({ records: 'away', evidence: 'fresh-proof' })).toEqual(new Set(['unrecorded']));
  });

  test('a copied cookie changes nothing, also while it is not known whose it is, or over', () => {
    expect(results({ records: 'here', evidence: 'own-browser', session: 'live', device: 'other' })).toEqual(
      new Set(['recent-login-required']),
    );
    for (const session of ['ended', 'none'] as const)
      expect(results({ records: 'here', evidence: 'own-browser', session })).toEqual(new Set(['session-required']));
    expect(results({ records: 'away', evidence: 'own-browser' })).toEqual(new Set(['records-unavailable']));
  });
});
