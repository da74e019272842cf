import { generateKeyPairSync } from 'node:crypto';

/** A private key as a service account has one, but shorter, which takes less time to make. */
export const PRIVATE_KEY = generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey.export({
  type: 'pkcs8',
  format: 'pem',
}) as string;
