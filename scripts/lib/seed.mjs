import { deleteApp, initializeApp } from 'firebase-admin/app';
import { getAuth } from 'firebase-admin/auth';
import { SAMPLE_PASSWORD, sampleUsers } from './sample-users.mjs';

/**
 * Creates or resets the sample users.
 * @param {{ host: string, projectId: string }} emulator never a real project, because the passwords are public
 */
export async function seed({ host, projectId }) {
  process.env.FIREBASE_AUTH_EMULATOR_HOST = host;
  const app = initializeApp({ projectId }, `seed-${host}`);
  const auth = getAuth(app);
  for (const { uid, email, displayName, emailVerified = true, disabled, claims, provider } of sampleUsers) {
    // Recreate the account each time, so that no earlier state remains.
    await auth.deleteUsers([uid]);
    const password = provider ? undefined : SAMPLE_PASSWORD;
    await auth.createUser({ uid, email, displayName, emailVerified, disabled, password });
    if (claims) await auth.setCustomUserClaims(uid, claims);
    if (provider) await auth.updateUser(uid, { providerToLink: { ...provider, email, displayName } });
  }
  await deleteApp(app);
}
