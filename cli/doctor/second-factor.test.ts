import { expect, test } from 'vitest';
import type { SecondFactorRule } from '@/lib/shared/config/app-config';
import { judgeSecondFactor } from './second-factor';

const required: SecondFactorRule = { use: 'required', accessLevels: ['staff'], from: '2027-03-01' };

test.each<[boolean, SecondFactorRule[], string, string]>([
  [true, [], 'works', 'offered, and required of no account'],
  [false, [{ use: 'optional' }], 'not configured', 'it needs SECOND_FACTOR_SECRET'],
  [true, [required, required], 'works', 'required for the access levels staff from 2027-03-01 (UTC)'],
])('offered: %s, rules %j: %s', (isOffered, rules, state, detail) => {
  expect(judgeSecondFactor(isOffered, rules, [])).toMatchObject({ state, detail, action: null });
});

test('what is required and cannot be had does not work', () => {
  const finding = judgeSecondFactor(false, [{ use: 'off' }, required], []);
  expect(finding).toMatchObject({ state: 'does not work', action: 'Set SECOND_FACTOR_SECRET' });
});

test.each([true, false])('a secret that opens not every stored key does not work, with others: %s', (isOffered) => {
  const finding = judgeSecondFactor(isOffered, [], ['3f9c']);
  expect(finding).toMatchObject({
    state: 'does not work',
    detail: 'SECOND_FACTOR_SECRET opens no key 3f9c of authenticator apps, so no process starts',
  });
});

test('says when the stored keys could not be read', () => {
  expect(judgeSecondFactor(true, [], null)).toMatchObject({
    state: 'works',
    detail: expect.stringContaining('could not be read') as string,
  });
});
