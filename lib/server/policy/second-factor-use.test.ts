// Threats: factor-skipped
import { expect, test } from 'vitest';
import { secondFactorRule, type SecondFactorRule } from '@/lib/shared/config/second-factor-rule';
import { decideSecondFactorUse, toDay, type SecondFactorUse } from './second-factor-use';

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
