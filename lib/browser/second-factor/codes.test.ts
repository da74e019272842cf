import { expect, it } from 'vitest';
import { groupKey, normalizeAppCode, normalizeRecoveryCode } from '../../shared/account/typed-codes';
import { accountAppCodeSchema, accountRecoveryCodeSchema } from '../account/schemas';

it.each([
  ['123456', '123456'],
  [' 123 456 ', '123456'],
  ['１２３４５６', '123456'],
  ['code: 1234567', '123456'],
  ['12a3', '123'],
  ['123-456', '123456'],
  ['2FA: 123 456, valid for 30 s', '123456'],
  ['', ''],
])('reads the code of an app from %j', (text, code) => {
  expect(normalizeAppCode(text)).toBe(code);
});

it.each([
  ['7K2M-4P8Q-9R3T-5V6W', '7K2M4P8Q9R3T5V6W'],
  [' 7k2m 4p8q 9r3t 5v6w', '7K2M4P8Q9R3T5V6W'],
  ['OIL0-1111-1111-1111', '0110111111111111'],
])('reads a recovery code from %j', (text, code) => {
  expect(normalizeRecoveryCode(text)).toBe(code);
});

it('refuses incomplete codes', () => {
  expect(accountAppCodeSchema.parse({ code: '123 456' })).toEqual({ code: '123456' });
  expect(accountAppCodeSchema.safeParse({ code: '12345' }).success).toBe(false);
  expect(accountRecoveryCodeSchema.safeParse({ code: '7K2M-4P8Q-9R3T-5V6W' }).success).toBe(true);
  expect(accountRecoveryCodeSchema.safeParse({ code: '7K2M-4P8Q-9R3T' }).success).toBe(false);
});

it('groups the key', () => {
  expect(groupKey('A2B3C4D5E6F7G2H3')).toBe('A2B3 C4D5 E6F7 G2H3');
  expect(groupKey('ABCDEF')).toBe('ABCD EF');
});
