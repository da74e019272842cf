import { existsSync } from 'node:fs';
import path from 'node:path';
import { root } from './paths.mjs';

/**
 * Puts the variables of `.env` into this process, where there is one; what is set already stays.
 * @returns {boolean} whether there was one
 */
export function loadSettings() {
  const file = path.join(root, '.env');
  if (!existsSync(file)) return false;
  if (typeof process.loadEnvFile !== 'function')
    throw new Error('Node 20.12 or newer reads .env; set the variables yourself.');
  process.loadEnvFile(file);
  return true;
}

/**
 * The same for a tool of operators, which answers by the local default where nothing at all is set.
 * @returns {string} what is used, to be said
 */
export function loadSettingsOrDefault() {
  if (loadSettings()) return 'the configuration in .env';
  if (process.env.FIREBASE_CLIENT_EMAIL || process.env.FIREBASE_AUTH_EMULATOR_HOST)
    return 'the configuration in the environment';
  process.env.FIREBASE_AUTH_EMULATOR_HOST = 'localhost:9099';
  return 'the local default';
}
