import { describe, expect, test } from 'vitest';
import { meetsPolicy } from './password-policy';

const enforced = (customStrengthOptions: object) => ({
  enforcementState: 'ENFORCE',
  customStrengthOptions,
  allowedNonAlphanumericCharacters: ['!', '?'],
});

describe("the identity provider's own password policy", () => {
  test.each([
    [{ minPasswordLength: 9 }, 'eight-88', 'nine-9999'],
    [{ maxPasswordLength: 8 }, 'nine-9999', 'eight-88'],
    [{ containsLowercaseCharacter: true }, 'ALL-LARGE-1', 'aLL-LARGE-1'],
    [{ containsUppercaseCharacter: true }, 'all-small-1', 'All-small-1'],
    [{ containsNumericCharacter: true }, 'all-small-letters', 'all-small-letters-1'],
    [{ containsNonAlphanumericCharacter: true }, 'letters-and-1', 'letters-and-1!'],
  ])('%j refuses %s and accepts %s', (options, refused, taken) => {
    expect(meetsPolicy(refused, enforced(options))).toBe(false);
    expect(meetsPolicy(taken, enforced(options))).toBe(true);
  });

  test('refuses nothing if it is not enforced', () => {
    const options = { minPasswordLength: 100 };
    expect(meetsPolicy('short', { enforcementState: 'OFF', customStrengthOptions: options })).toBe(true);
    expect(meetsPolicy('short', {})).toBe(true);
    expect(meetsPolicy('', enforced({}))).toBe(true);
  });
});
