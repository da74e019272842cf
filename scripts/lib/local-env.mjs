import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { root } from './paths.mjs';

/** The branding and the organizations of the local default. No build contains them. */
export const sampleFiles = {
  ORIGINS_FILE: path.join(root, 'config/origins.local.json'),
  DIRECTORY_FILE: path.join(root, 'config/directory.local.json'),
};

/**
 * Configuration of an app that runs with the emulator, the local mailbox and the example platform.
 * @param {{ appOrigin: string, platformOrigin: string, emulatorHost: string, smtpUrl: string, projectId?: string }}
 *   endpoints
 * @returns {Record<string, string>}
 */
export function localEnv({ appOrigin, platformOrigin, emulatorHost, smtpUrl, projectId = 'demo-campus' }) {
  return {
    NEXT_PUBLIC_APP_ORIGIN: appOrigin,
    NEXT_PUBLIC_PLATFORM_ORIGIN: platformOrigin,
    NEXT_PUBLIC_MAIN_DOMAIN: 'localhost',
    NEXT_PUBLIC_FIREBASE_PROJECT_ID: projectId,
    FIREBASE_AUTH_EMULATOR_HOST: emulatorHost,
    SMTP_URL: smtpUrl,
    TOKEN_ENCRYPTION_SECRET: randomBytes(32).toString('base64'),
    ...sampleFiles,
    SHUTDOWN_DELAY: '0',
    ADMIN_TOKEN: randomBytes(24).toString('base64url'),
  };
}
