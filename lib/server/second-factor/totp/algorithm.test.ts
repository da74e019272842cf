// ASVS: 6.5.3, 6.5.5
import decodeQR from 'qr/decode.js';
import { describe, expect, it } from 'vitest';
import { createSecret, describeApp, findStep } from '.';

/** Codes of RFC 6238, appendix B, for SHA-1, without their first two digits. */
const RFC_SECRET = Buffer.from('12345678901234567890');
const VECTORS: [number, string][] = [
  [59, '287082'],
  [1_111_111_109, '081804'],
  [1_111_111_111, '050471'],
  [1_234_567_890, '005924'],
  [2_000_000_000, '279037'],
];

describe('findStep', () => {
  it.each(VECTORS)('finds the code of RFC 6238 at %d', (seconds, code) => {
    expect(findStep(RFC_SECRET, code, seconds * 1000)).toBe(Math.floor(seconds / 30));
  });

  it('accepts one step before and after, and no other', () => {
    const [seconds, code] = [1_111_111_111, '050471'] as const;
    const step = Math.floor(seconds / 30);
    const found = [-2, -1, 0, 1, 2].map((ahead) => findStep(RFC_SECRET, code, (seconds + ahead * 30) * 1000));
    expect(found).toEqual([null, step, step, step, null]);
  });

  it.each(['', '12345', '1234567', '١٢٣٤٥٦', '１２３４５６', '12 345', 'abcdef', '-12345'])('refuses %j', (code) => {
    expect(findStep(RFC_SECRET, code, 0)).toBeNull();
  });
});

describe('describeApp', () => {
  it('gives key and URI, and draws the URI', () => {
    const secret = createSecret();
    expect(secret).toHaveLength(20);
    const app = describeApp(secret, { issuer: 'Campus: One', label: 'mia@campus.test' });
    const uri = new URL(app.uri);
    expect(uri.protocol).toBe('otpauth:');
    expect(uri.searchParams.get('secret')).toBe(app.secret);
    expect(uri.searchParams.get('issuer')).toBe('Campus  One');
    expect(Buffer.from(app.secret, 'utf8')).toHaveLength(32);
    expect(readQr(app.qr)).toBe(app.uri);
  });
});

/** Reads a drawn QR code as a camera does. */
function readQr({ size, path }: { size: number; path: string }): string {
  const SCALE = 4;
  const data = new Uint8Array(size * size * SCALE * SCALE * 4).fill(255);
  for (const [, x = '', y = '', width = ''] of path.matchAll(/M(\d+) (\d+)h(\d+)v1h-\d+z/g))
    for (let dy = 0; dy < SCALE; dy += 1)
      for (let dx = 0; dx < SCALE * Number(width); dx += 1) {
        const at = ((Number(y) * SCALE + dy) * size * SCALE + Number(x) * SCALE + dx) * 4;
        data.fill(0, at, at + 3);
      }
  return decodeQR({ width: size * SCALE, height: size * SCALE, data });
}
