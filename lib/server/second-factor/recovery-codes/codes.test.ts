// ASVS: 6.5.2, 6.5.3
import { scryptSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createRecoveryCodes, digestRecoveryCode, readRecoveryCode } from '.';

process.env.FIREBASE_AUTH_EMULATOR_HOST = 'localhost:9099';
const client = { network: '203.0.113.0/24' };

describe('recovery codes', () => {
  // This uses the default, which is the cost of production.
  it('are ten, of 80 bits each, and stored as scrypt with one salt', async () => {
    const { shown, stored } = await createRecoveryCodes(client);
    expect(new Set(shown).size).toBe(10);
    for (const code of shown) expect(code).toMatch(/^[0-9A-Z]{4}(-[0-9A-Z]{4}){3}$/);
    expect(Buffer.from(stored.salt, 'base64url')).toHaveLength(16);
    const salt = Buffer.from(stored.salt, 'base64url');
    const hash = (code: string) => scryptSync(code, salt, 32, { N: 16_384, r: 8, p: 1 }).toString('base64url');
    expect(shown.map((code) => hash(readRecoveryCode(code) ?? ''))).toEqual(stored.digests);
    expect(await digestRecoveryCode(readRecoveryCode(shown[3] ?? '') ?? '', stored.salt, client)).toBe(
      stored.digests[3],
    );
    expect(JSON.stringify(stored)).not.toContain(shown[0]?.replaceAll('-', ''));
  });

  it.each([
    ['7k2m-4p8q-9r3t-5v6w', '7K2M4P8Q9R3T5V6W'],
    [' 7K2M 4P8Q 9R3T 5V6W ', '7K2M4P8Q9R3T5V6W'],
    ['OIL0-1111-2222-3333', '0110111122223333'],
    ['7K2M–4P8Q—9R3T-5V6W', '7K2M4P8Q9R3T5V6W'],
    ['１２３４-١٢٣٤-\u200e1234-۱۲۳۴', '1234123412341234'],
  ])('%j is read as %j', (typed, code) => {
    expect(readRecoveryCode(typed)).toBe(code);
  });

  it.each(['', '7K2M', '7K2M-4P8Q-9R3T-5V6WX', '7K2M-4P8Q-9R3T-5V6!', 'UUUU-UUUU-UUUU-UUUU'])('%j is none', (typed) => {
    expect(readRecoveryCode(typed)).toBeNull();
  });
});
