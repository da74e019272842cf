// ASVS: 6.3.3, 6.5.1
// Threats: forged-passkey
import { expect, test } from 'vitest';
import {
  decideAddition,
  decideAssertion,
  decideVerification,
  type AdditionFacts,
  type AssertionFacts,
  type VerificationFacts,
} from './passkey-use';

function* product<F extends object>(axes: { [K in keyof F]: readonly F[K][] }): Generator<F> {
  const names = Object.keys(axes) as (keyof F)[];
  const total = names.reduce((all, name) => all * axes[name].length, 1);
  for (let index = 0; index < total; index += 1) {
    let rest = index;
    const picked: Partial<F> = {};
    for (const name of names) {
      picked[name] = axes[name][rest % axes[name].length];
      rest = Math.floor(rest / axes[name].length);
    }
    yield picked as F;
  }
}

const BOTH = [true, false] as const;
const assertions = [
  ...product<AssertionFacts>({
    isKnown: BOTH,
    isVerified: BOTH,
    isCrossOrigin: BOTH,
    hasOwnHandle: BOTH,
    hasSameBackupEligibility: BOTH,
    isSuspect: BOTH,
    hasCounterGoneBack: BOTH,
    isBackupEligible: BOTH,
    isOlderThanLastUse: BOTH,
    isExpectedAccount: [true, false, null],
  }),
];

/** Facts of every accepted and every suspect response. */
const right = {
  isKnown: true,
  isVerified: true,
  isCrossOrigin: false,
  hasOwnHandle: true,
  hasSameBackupEligibility: true,
  isSuspect: false,
};

test('a passkey signs in only when everything about it is right', () => {
  expect(assertions).toHaveLength(1536);
  const accepted = assertions.filter((facts) => decideAssertion(facts).outcome === 'accept');
  // Each may be older than the last use or not, and of either account at a sign-in. The counter went back only for a
  // passkey that can be backed up.
  expect(accepted).toHaveLength(12);
  for (const facts of accepted) expect(facts.hasCounterGoneBack && !facts.isBackupEligible).toBe(false);
  for (const facts of accepted) expect([true, null]).toContain(facts.isExpectedAccount);
  for (const facts of accepted) expect(facts).toMatchObject(right);
});

test('only a response that is right in everything else marks a passkey, and once', () => {
  for (const facts of assertions.filter((each) => decideAssertion(each).outcome === 'suspect'))
    expect(facts).toMatchObject({
      ...right,
      hasCounterGoneBack: true,
      isBackupEligible: false,
      isOlderThanLastUse: false,
    });
  expect(assertions.some((facts) => decideAssertion(facts).outcome === 'suspect')).toBe(true);
});

test('only the holder of a passkey learns that it is marked, and only of an unknown one it is said', () => {
  for (const facts of assertions) {
    const decision = decideAssertion(facts);
    const code = 'code' in decision ? decision.code : null;
    expect(code === 'passkey-unknown').toBe(!facts.isKnown);
    if (code === 'passkey-suspect') expect([facts.isVerified, facts.hasOwnHandle]).toEqual([true, true]);
  }
});

test('a passkey is added only to the account that its options were made for, and only where it may have one', () => {
  const additions = [
    ...product<AdditionFacts>({
      isVerified: BOTH,
      isCrossOrigin: BOTH,
      isExpectedAccount: BOTH,
      emailVerified: BOTH,
      requiresSso: BOTH,
    }),
  ];
  const accepted = additions.filter((facts) => decideAddition(facts) === null);
  expect(accepted).toEqual([
    { isVerified: true, isCrossOrigin: false, isExpectedAccount: true, emailVerified: true, requiresSso: false },
  ]);
});

test('verification counts from the creation on, or once another factor was shown, which it then needs no more', () => {
  const all = [...product<VerificationFacts>({ isInitialized: BOTH, isUserVerified: BOTH, hasOtherFactor: BOTH })];
  const decided = all.map((facts) =>
    [...Object.values(facts).map(Number), ...Object.values(decideVerification(facts))].join(' '),
  );
  // isInitialized, isUserVerified, hasOtherFactor: factors, initializes
  expect(decided.sort()).toEqual([
    '0 0 0 1 false',
    '0 0 1 1 false',
    '0 1 0 1 false',
    '0 1 1 2 true',
    '1 0 0 1 false',
    '1 0 1 1 false',
    '1 1 0 2 false',
    '1 1 1 2 false',
  ]);
});
