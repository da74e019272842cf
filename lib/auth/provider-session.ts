import type { PublicEnv } from '@/lib/config/public-env';
import { reportError } from '@/lib/sentry/report';
import { loadAuth } from './firebase';

/** @returns a newly issued ID token of the person signed in at the identity provider, or null when nobody is */
export async function freshIdToken(env: PublicEnv): Promise<string | null> {
  const auth = await loadAuth(env);
  await auth.authStateReady();
  return (await auth.currentUser?.getIdToken(true)) ?? null;
}

/** Signs the identity provider out in this browser. Never throws: a session that is over must not hold anyone up. */
export async function leaveProvider(env: PublicEnv): Promise<void> {
  try {
    await (await loadAuth(env)).signOut();
  } catch (error) {
    reportError(error, { during: 'leaving the identity provider' });
  }
}
