import { describe, expect, it } from 'vitest';
import { hashOptions } from './hash';
import { getEncoding, readRow } from './rows';

const reading = { encoding: 'base64', legacy: true } as const;

describe('readRow', () => {
  it('reads a complete row, and sets the legacy claim', () => {
    const row = { uid: '7', email: ' Ada@Campus.Test ', displayName: 'Ada', emailVerified: 'true', passwordHash: 'aGFzaA==', passwordSalt: 'c2FsdA==', createdAt: '2020-02-01' }; // prettier-ignore
    expect(readRow(row, reading)).toEqual({
      person: {
        uid: '7',
        email: 'ada@campus.test',
        displayName: 'Ada',
        emailVerified: true,
        disabled: false,
        passwordHash: Buffer.from('hash'),
        passwordSalt: Buffer.from('salt'),
        customClaims: { legacy: true },
        metadata: { creationTime: 'Sat, 01 Feb 2020 00:00:00 GMT', lastSignInTime: undefined },
      },
    });
  });

  it('requires only an email, and derives the same id from the same email', () => {
    const [one, again] = [{ email: 'a@b.test', uid: '' }, { email: 'A@B.test' }].map((row) => readRow(row, reading));
    expect(one).toEqual(again);
    expect(one).toMatchObject({ person: { uid: expect.stringMatching(/^legacy-[0-9a-f]{24}$/) as string } });
  });

  it('names the invalid columns without their values', () => {
    expect(readRow({ email: 'not-an-address', emailVerified: 'perhaps' }, reading)).toEqual({
      problem: 'email, emailVerified',
    });
  });
});

describe('hashOptions', () => {
  it('requires the parameters of each hash algorithm', () => {
    expect(hashOptions('BCRYPT', {})).toEqual({ hash: { algorithm: 'BCRYPT' } });
    expect(hashOptions('PBKDF2_SHA256', { rounds: '1000' })).toEqual({ hash: { algorithm: 'PBKDF2_SHA256', rounds: 1000 } }); // prettier-ignore
    expect(() => hashOptions('SCRYPT', { rounds: '9' })).toThrow(
      'SCRYPT needs: key, saltSeparator, rounds, memoryCost',
    );
    expect(() => hashOptions('ROT13', {})).toThrow('Supported: BCRYPT');
  });
});

it('supports every encoding of a hash', () => {
  expect([getEncoding(), getEncoding('hex')]).toEqual(['base64', 'hex']);
  expect(() => getEncoding('rot13')).toThrow('Supported: base64, hex, utf8');
});
