import { expect, it } from 'vitest';
import { addFilteredAccounts, isFilteredAccount } from './filter';

it.each([
  [null, true],
  ['', true],
  [' ', true],
  ['test+anything@campus.test', true],
  ['TEST+Robot@Campus.Test', true],
  ['test@campus.test', false],
  ['contest+x@campus.test', false],
  ['test+x@campus.test.evil.example', false],
  ['learner@campus.test', false],
])('%s is left out: %s', (email, filtered) => {
  expect(isFilteredAccount(email, 'test@campus.test')).toBe(filtered);
});

it('accepts more patterns at run time', () => {
  expect(isFilteredAccount('robot@partner.example', 'test@campus.test')).toBe(false);
  addFilteredAccounts(/^robot@/gi);
  for (const email of ['robot@partner.example', 'Robot@partner.example'])
    expect(isFilteredAccount(email, 'test@campus.test')).toBe(true);
  expect(isFilteredAccount('learner@partner.example', 'test@campus.test')).toBe(false);
});
