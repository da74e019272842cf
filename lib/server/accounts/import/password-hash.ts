import type { UserImportOptions } from 'firebase-admin/auth';
/** Encodings of hashes and salts in the file. */
const ENCODINGS = ['base64', 'hex', 'utf8'] as const;
export type Encoding = (typeof ENCODINGS)[number];

/** @param given as on the command line. @throws Error listing the supported ones */
export function getEncoding(given = 'base64'): Encoding {
  const encoding = ENCODINGS.find((name) => name === given);
  if (!encoding) throw new Error(`Unknown encoding. Supported: ${ENCODINGS.join(', ')}`);
  return encoding;
}

type HashOptions = UserImportOptions['hash'];

/** Digest sizes, in bytes. */
const SIZES: Record<string, number> = {
  ...{ HMAC_SHA512: 64, HMAC_SHA256: 32, HMAC_SHA1: 20, HMAC_MD5: 16 },
  ...{ SHA512: 64, SHA256: 32, SHA1: 20, MD5: 16 },
};
/** Of a derived key whose size is the previous system's choice. */
const MIN_DERIVED_BYTES = 16;
const BCRYPT = /^\$2(?:a|b|x|y)?\$\d\d\$[./A-Za-z0-9]{53}$/;

const WRITTEN: Record<Encoding, RegExp> = {
  base64: /^[A-Za-z0-9+/_-]+={0,2}$/,
  hex: /^(?:[0-9a-f]{2})+$/i,
  utf8: /./s,
};

/** Decodes a hash or salt. @returns null when it is not written in this encoding: Node would skip what does not fit */
export function decodeBytes(written: string, encoding: Encoding): Buffer | null {
  return WRITTEN[encoding].test(written) ? Buffer.from(written, encoding) : null;
}

/** Whether bytes can be a result of the algorithm: the identity provider stores any, and then refuses every password. */
export function isPasswordHash(bytes: Buffer, { algorithm, derivedKeyLength }: HashOptions): boolean {
  if (algorithm === 'BCRYPT') return BCRYPT.test(bytes.toString('latin1'));
  const size = algorithm === 'STANDARD_SCRYPT' ? derivedKeyLength : SIZES[algorithm];
  return size === undefined ? bytes.length >= MIN_DERIVED_BYTES : bytes.length === size;
}
