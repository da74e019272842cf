import { deleteApp, initializeApp } from 'firebase-admin/app';
import { getAuth } from 'firebase-admin/auth';
import { sampleUsers } from './sample-users.mjs';

/**
 * Creates or resets the sample users.
 * @param {{ host: string, projectId: string }} emulator never a real project: the passwords are public
 */
export async function seed({ host, projectId }) {
  process.env.FIREBASE_AUTH_EMULATOR_HOST = host;
  const app = initializeApp({ projectId }, `seed-${host}`);
  try {
    for (const user of sampleUsers) await put(getAuth(app), user);
  } finally {
    await deleteApp(app);
  }
}

/**
 * @param {import('firebase-admin/auth').Auth} auth
 * @param {import('./sample-users.mjs').SampleUser} person
 */
async function put(
  auth,
  { uid, email, displayName, emailVerified = true, disabled = false, password, claims, provider },
) {
  // Recreate the account each time, so that no earlier state remains.
  await auth.deleteUser(uid).catch((error) => {
    if (error.code !== 'auth/user-not-found') throw error;
  });
  await auth.createUser({ uid, email, displayName, emailVerified, disabled, password });
  if (claims) await auth.setCustomUserClaims(uid, claims);
  if (provider) await auth.updateUser(uid, { providerToLink: { ...provider, email, displayName } });
}
