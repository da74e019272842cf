import { existsSync } from 'node:fs';
import path from 'node:path';
import { root, sampleFiles } from './paths.mjs';

/**
 * Loads the variables of `.env` into this process, if the file exists; variables that are already set take
 * precedence.
 * @returns {boolean} whether the file exists
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
 * The same for an operator's tool, which falls back to the local default when nothing is configured.
 * @returns {string} the configuration in use, for display
 */
export function loadSettingsOrDefault() {
  if (loadSettings()) return 'the configuration in .env';
  if (process.env.NEXT_PUBLIC_APP_ORIGIN || process.env.FIREBASE_AUTH_EMULATOR_HOST)
    return 'the configuration in the environment';
  Object.assign(process.env, { FIREBASE_AUTH_EMULATOR_HOST: 'localhost:9099', ...sampleFiles });
  return 'the local default';
}
