import {
  applicationDefault,
  cert,
  getApp,
  getApps,
  initializeApp,
  type App,
  type Credential,
} from 'firebase-admin/app';
import { getAuth, type Auth } from 'firebase-admin/auth';
import { env } from '@/lib/server/runtime';

const APP_NAME = 'learner-identity';

/** Admin SDK of the identity provider; uses the emulator when `FIREBASE_AUTH_EMULATOR_HOST` is set. */
export function getIdentityAdmin(): Auth {
  const exists = getApps().some(({ name }) => name === APP_NAME);
  return getAuth(exists ? getApp(APP_NAME) : createApp());
}

function createApp(): App {
  const { NEXT_PUBLIC_FIREBASE_PROJECT_ID: projectId, FIREBASE_CLIENT_EMAIL: clientEmail } = env();
  const credential = getCredential();
  // Signs custom tokens where the credential does not say which account it is.
  const account = clientEmail === undefined ? {} : { serviceAccountId: clientEmail };
  return initializeApp({ projectId, ...account, ...(credential && { credential }) }, APP_NAME);
}

function getCredential(): Credential | undefined {
  const config = env();
  if (config.FIREBASE_AUTH_EMULATOR_HOST !== undefined) return undefined;
  if (config.FIREBASE_CREDENTIALS === 'application-default') return applicationDefault();
  const { NEXT_PUBLIC_FIREBASE_PROJECT_ID: projectId, FIREBASE_CLIENT_EMAIL, FIREBASE_PRIVATE_KEY } = config;
  return FIREBASE_CLIENT_EMAIL && FIREBASE_PRIVATE_KEY
    ? cert({ projectId, clientEmail: FIREBASE_CLIENT_EMAIL, privateKey: FIREBASE_PRIVATE_KEY })
    : undefined;
}
