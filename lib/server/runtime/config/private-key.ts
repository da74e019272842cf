import { createPrivateKey } from 'node:crypto';

/** PKCS #8 (RFC 7468, section 10), and the older form for RSA keys. */
const KEY = /^-----BEGIN ((?:RSA )?PRIVATE KEY)-----([A-Za-z\d+/=\s]+)-----END \1-----$/;
const LINE_LENGTH = 64;

/**
 * Reads the private key of a service account. It may be in quotes, because `docker run --env-file` keeps them. Its line
 * breaks may be spaces, or `\n`, escaped several times. None of these can be part of a key.
 * @returns the key in PEM, or null if it is not a readable RSA key
 */
export function readPrivateKey(text: string): string | null {
  const bare = text
    .trim()
    .replace(/^(["'])(.*)\1$/s, '$2')
    .replaceAll(/\\+[nr]/g, '\n')
    .trim();
  const [, kind, content = ''] = KEY.exec(bare) ?? [];
  if (kind === undefined) return null;
  const lines = content.replaceAll(/\s+/g, '').match(new RegExp(`.{1,${String(LINE_LENGTH)}}`, 'g')) ?? [];
  const pem = [`-----BEGIN ${kind}-----`, ...lines, `-----END ${kind}-----`, ''].join('\n');
  try {
    return createPrivateKey(pem).asymmetricKeyType === 'rsa' ? pem : null;
  } catch {
    return null;
  }
}
