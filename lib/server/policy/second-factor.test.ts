// Threats: factor-skipped
import { expect, test, describe, it } from 'vitest';
import { secondFactorRule, type SecondFactorRule } from '@/lib/shared/config/app-config';
import {
  decideSecondFactorUse,
  toDay,
  type SecondFactorUse,
  decideAttempt,
  MAX_TRIES,
  type AttemptFacts,
} from './second-factor';

const TODAY = '2027-03-01';
const LEVELS = ['standard', 'staff'] as const;

const RULES: readonly (SecondFactorRule | null)[] = [
  null,
  { use: 'off' },
  { use: 'optional' },
  ...[undefined, ['staff'], ['standard', 'staff']].flatMap((accessLevels) =>
    [undefined, '2027-02-28', TODAY, '2027-03-02', '2028-01-01'].map((from) => ({
      use: 'required' as const,
      ...(accessLevels && { accessLevels }),
      ...(from !== undefined && { from }),
    })),
  ),
];

/** docs/account-policy.md#rules, independent of the code under test. */
function expected(rules: readonly SecondFactorRule[], level: string): SecondFactorUse {
  let first: string | null | undefined;
  for (const { use, accessLevels = [level], from = null } of rules) {
    if (use !== 'required' || !accessLevels.includes(level)) continue;
    if (first === undefined) first = from;
    else if (from === null || first === null) first = null;
    else if (from < first) first = from;
  }
  if (first !== undefined) return { use: 'required', inForce: first === null || first <= TODAY, from: first };
  return rules.some(({ use }) => use === 'off') ? { use: 'off' } : { use: 'optional' };
}

test('the strictest rule wins, for every combination of an origin and two organizations', () => {
  for (const origin of RULES)
    for (const first of RULES)
      for (const second of RULES)
        for (const accessLevel of LEVELS) {
          const organizations = [first, second].filter((rule) => rule !== null);
          const rules = origin === null ? organizations : [origin, ...organizations];
          const use = decideSecondFactorUse({ origin, organizations, accessLevel, today: TODAY });
          if (JSON.stringify(use) !== JSON.stringify(expected(rules, accessLevel)))
            expect({ origin, first, second, accessLevel, use }).toEqual(expected(rules, accessLevel));
        }
});

test('what is required for one access level is optional for the others', () => {
  const origin: SecondFactorRule = { use: 'required', accessLevels: ['staff'] };
  const decide = (accessLevel: string) =>
    decideSecondFactorUse({ origin, organizations: [], accessLevel, today: TODAY });
  expect([decide('staff'), decide('standard')]).toEqual([
    { use: 'required', inForce: true, from: null },
    { use: 'optional' },
  ]);
});

test('a rule begins with its day in UTC', () => {
  expect(toDay(new Date('2027-02-28T23:59:59.999Z'))).toBe('2027-02-28');
  expect(toDay(new Date('2027-03-01T00:30:00+01:00'))).toBe('2027-02-28');
});

test.each([
  [{ use: 'off' }, true],
  [{ use: 'required', accessLevels: ['staff'], from: '2027-03-01' }, true],
  [{ use: 'required', from: '2027-02-30' }, false],
  [{ use: 'required', from: '1.3.2027' }, false],
  [{ use: 'required', accessLevels: [] }, false],
  [{ use: 'required', accessLevels: ['two words'] }, false],
  [{ use: 'required', accessLevel: ['staff'] }, false],
  [{ use: 'optional', from: '2027-03-01' }, false],
  [{ use: 'off', accessLevels: ['staff'] }, false],
  [{ use: 'always' }, false],
  ['required', false],
])('%j in a configuration file: valid is %s', (rule, isValid) => {
  expect(secondFactorRule.safeParse(rule).success).toBe(isValid);
});

// ASVS: 6.5.1, 6.3.1
// Threats: factor-replayed, factor-guessed, factor-lock-out

const NOW = new Date('2026-11-23T12:00:00Z');
const later = (minutes: number) => new Date(NOW.getTime() + minutes * 60_000);

const cases = (['open', 'gone', 'proof'] as const).flatMap((signIn) =>
  [true, false].flatMap((hasSecondFactor) =>
    [0, 1, 4, 5, 6].flatMap((tries) =>
      [0, 8, 9, 10].flatMap((failures) =>
        [null, later(-1), NOW, later(1)].flatMap((lockedUntil) =>
          [true, false].flatMap((isGuessable) =>
            (['right', 'used', 'wrong'] as const).map((code) => ({
              signIn,
              hasSecondFactor,
              tries,
              failures,
              lockedUntil,
              isGuessable,
              code,
              now: NOW,
            })),
          ),
        ),
      ),
    ),
  ),
);

/** docs/account-policy.md#second-factor as a list, independent of the code under test. */
function secondFactorCodeExpected(facts: AttemptFacts): string {
  const { signIn, hasSecondFactor, tries, failures, lockedUntil, isGuessable, code } = facts;
  if (signIn === 'gone') return 'sign-in-expired';
  if (signIn === 'proof' && !hasSecondFactor) return 'not-found';
  if (signIn === 'open' && tries >= 5) return 'code-locked';
  if (isGuessable && lockedUntil !== null && lockedUntil.getTime() > NOW.getTime()) return 'too-many-requests';
  if (code === 'right') return 'accept';
  if (code === 'used') return 'code-used, counted';
  const rest = !isGuessable ? '' : ` for the account${failures >= 9 ? ', then a rest' : ''}`;
  if (signIn === 'proof') return `code-wrong, counted${rest}`;
  return tries === 4 ? `code-locked, counted${rest}` : `code-wrong ${String(4 - tries)}, counted${rest}`;
}

function describeDecision(facts: AttemptFacts): string {
  const decision = decideAttempt(facts);
  if (decision.outcome === 'accept') return 'accept';
  const { code, triesLeft, counts } = decision;
  const counted = counts === null ? '' : counts.ofAccount ? ', counted for the account' : ', counted';
  return `${code}${triesLeft === undefined ? '' : ` ${String(triesLeft)}`}${counted}${counts?.lockedUntil ? ', then a rest' : ''}`;
}

describe('decideAttempt', () => {
  it('decides every combination as the policy says', () => {
    expect(cases).toHaveLength(3 * 2 * 5 * 4 * 4 * 2 * 3);
    for (const facts of cases)
      expect(describeDecision(facts), JSON.stringify(facts)).toBe(secondFactorCodeExpected(facts));
  });

  it('accepts nothing during a rest, and says how long it lasts', () => {
    const facts = {
      signIn: 'open',
      hasSecondFactor: true,
      tries: 0,
      failures: 0,
      lockedUntil: later(15),
      isGuessable: true,
      code: 'right',
      now: NOW,
    } as const;
    expect(decideAttempt(facts)).toMatchObject({ code: 'too-many-requests', retryAfter: 900 });
  });

  it('rests for 15 minutes after the tenth wrong code', () => {
    const facts = {
      signIn: 'open',
      hasSecondFactor: true,
      tries: 0,
      failures: 9,
      lockedUntil: null,
      isGuessable: true,
      code: 'wrong',
      now: NOW,
    } as const;
    expect(decideAttempt(facts)).toMatchObject({ counts: { lockedUntil: later(15) } });
  });

  it('takes five tries', () => {
    expect(MAX_TRIES).toBe(5);
  });
});
