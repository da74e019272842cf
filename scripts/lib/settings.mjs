import { existsSync } from 'node:fs';
import path from 'node:path';
import { root, sampleFiles } from './paths.mjs';

/**
 * Loads the variables of `.env` into this process, if the file exists. Variables that are already set take precedence.
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
 * Loads the settings of an operator's tool. Without any configuration, it uses the local default.
 * @returns {string} the configuration in use, for display
 */
export function loadSettingsOrDefault() {
  if (loadSettings()) return 'the configuration in .env';
  if (process.env.NEXT_PUBLIC_APP_ORIGIN || process.env.FIREBASE_AUTH_EMULATOR_HOST)
    return 'the configuration in the environment';
  Object.assign(process.env, { FIREBASE_AUTH_EMULATOR_HOST: 'localhost:9099', ...sampleFiles });
  return 'the local default';
}
