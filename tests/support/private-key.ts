import { generateKeyPairSync } from 'node:crypto';

/** A private key like a service account's, but shorter, because it takes less time to make. */
export const PRIVATE_KEY = generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey.export({
  type: 'pkcs8',
  format: 'pem',
}) as string;
