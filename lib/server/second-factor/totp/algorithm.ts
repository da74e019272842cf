import { encodeQR } from 'qr';
import { Secret, TOTP } from 'otpauth';
import { randomBytes } from 'node:crypto';
import type { NewApp } from '@/lib/shared/account/second-factor';

/** Of HMAC-SHA-1 (RFC 4226, section 4, requirement R6), in bytes. */
const SECRET_BYTES = 20;
/** RFC 6238, section 4.1. Apps know no other value. */
const PERIOD_SECONDS = 30;
/** Steps before and after the present one whose codes are accepted, for clocks that differ (RFC 6238, section 5.2). */
const WINDOW = 1;
/** Only ASCII digits: the library throws on others. */
const SIX_DIGITS = /^[0-9]{6}$/;

export function createSecret(): Uint8Array {
  return randomBytes(SECRET_BYTES);
}

/**
 * What an authenticator app is given.
 * @param issuer the brand, which the app shows with the account's email
 */
export function describeApp(secret: Uint8Array, { issuer, label }: { issuer: string; label: string }): NewApp {
  const totp = new TOTP({ issuer: issuer.replaceAll(':', ' '), label, secret: toSecret(secret), ...ALGORITHM });
  const uri = totp.toString();
  return { secret: toSecret(secret).base32, uri, qr: drawQr(uri) };
}

const ALGORITHM = { algorithm: 'SHA1', digits: 6, period: PERIOD_SECONDS } as const;

/** The quiet zone around a QR code, in modules (ISO/IEC 18004). */
const QUIET_ZONE = 4;

function drawQr(text: string): NewApp['qr'] {
  const modules = encodeQR(text, 'raw', { ecc: 'medium', border: QUIET_ZONE });
  const path = modules.map((row, y) => [...toRuns(row)].map(([x, n]) => `M${x} ${y}h${n}v1h-${n}z`).join('')).join('');
  return { size: modules.length, path };
}

/** The dark modules of a row, as runs: where each begins, and how many there are. */
function* toRuns(row: readonly boolean[]): Generator<[number, number]> {
  let begin: number | null = null;
  for (const [x, dark] of [...row, false].entries()) {
    if (dark) begin ??= x;
    else if (begin !== null) {
      yield [begin, x - begin];
      begin = null;
    }
  }
}

/**
 * The time step that a code is of.
 * @param now milliseconds since 1970
 * @returns null when it is none of the accepted ones
 */
export function findStep(secret: Uint8Array, code: string, now: number): number | null {
  if (!SIX_DIGITS.test(code)) return null;
  const totp = new TOTP({ secret: toSecret(secret), ...ALGORITHM });
  const delta = totp.validate({ token: code, timestamp: now, window: WINDOW });
  return delta === null ? null : Math.floor(now / 1000 / PERIOD_SECONDS) + delta;
}

function toSecret(bytes: Uint8Array): Secret {
  return new Secret({ buffer: new Uint8Array(bytes).buffer });
}
