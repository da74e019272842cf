import { generateKeyPairSync, sign, verify } from 'node:crypto';
import { expect, it } from 'vitest';
import { parseEnv } from './env';
import { readPrivateKey } from './private-key';
import { production } from '@/tests/support/start-process';

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
const isOurs = (key: string | undefined) =>
  key !== undefined && verify('sha256', Buffer.from('x'), publicKey, sign('sha256', Buffer.from('x'), key));

it.each([
  ['with line breaks', pem],
  ['without the last line break', pem.trimEnd()],
  ['with the line breaks of Windows', pem.replaceAll('\n', '\r\n')],
  ['with \\n, as in the JSON file', pem.replaceAll('\n', '\\n')],
  ['with \\r\\n', pem.replaceAll('\n', '\\r\\n')],
  ['escaped twice', pem.replaceAll('\n', '\\\\n')],
  ['escaped three times', pem.replaceAll('\n', '\\\\\\\\n')],
  ['in double quotes', `"${pem.replaceAll('\n', '\\n')}"`],
  ['in single quotes', `'${pem}'`],
  ['with spaces for line breaks', pem.replaceAll('\n', ' ')],
  ['in one line', pem.replaceAll('\n', '')],
  ['indented, as in YAML', pem.replaceAll('\n', '\n    ')],
  ['in the older form', privateKey.export({ type: 'pkcs1', format: 'pem' }) as string],
])('reads a key %s', (_, text) => {
  expect(isOurs(parseEnv({ ...production, FIREBASE_PRIVATE_KEY: text }).FIREBASE_PRIVATE_KEY)).toBe(true);
});

const elliptic = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' });
const encrypted = privateKey.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' });

it.each([
  ['without backslashes, as systemd leaves it outside of double quotes', pem.replaceAll('\n', 'n')],
  ['that is cut off', pem.slice(0, 800)],
  ['without its middle', pem.replace(/\n.{64}\n/, '\n')],
  ['without its first line', pem.replace(/^.*\n/, '')],
  ['of another kind', elliptic as string],
  ['that is encrypted', encrypted as string],
  ['that is public', publicKey.export({ type: 'spki', format: 'pem' }) as string],
  ['within its JSON file', JSON.stringify({ private_key: pem })],
  ['twice', pem + pem],
  ['that is a sample', '-----BEGIN PRIVATE KEY-----\\n…\\n-----END PRIVATE KEY-----\\n'],
])('refuses one %s, and says what to give', (_, text) => {
  expect(readPrivateKey(text)).toBeNull();
  expect(() => parseEnv({ ...production, FIREBASE_PRIVATE_KEY: text })).toThrow(
    'FIREBASE_PRIVATE_KEY: must be the private_key of a service account',
  );
});
