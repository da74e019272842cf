import type { PublicEnv } from '@/lib/config/public-env';
import { reportError } from '@/lib/sentry/report';
import { loadAuth } from './firebase';
import { forgetProvider } from './provider-memory';
import { isSharedComputer } from './shared-computer';

/** @returns a newly issued ID token of the person signed in at the identity provider, or null when nobody is */
export async function freshIdToken(env: PublicEnv): Promise<string | null> {
  const auth = await loadAuth(env);
  await auth.authStateReady();
  return (await auth.currentUser?.getIdToken(true)) ?? null;
}

/** Signs the identity provider out in this browser. Never throws: a session that is over must not hold anyone up. */
export async function leaveProvider(env: PublicEnv): Promise<void> {
  try {
    const auth = await loadAuth(env);
    await auth.signOut();
    forgetProvider();
  } catch (error) {
    reportError(error, { during: 'leaving the identity provider' });
  }
}

/** On a computer that others use, moves the identity provider's memory to this tab, before a session is opened. */
export async function keepProviderToTab(env: PublicEnv): Promise<void> {
  if (!isSharedComputer()) return;
  const [auth, { browserSessionPersistence, setPersistence }] = await Promise.all([loadAuth(env), import('./sdk')]);
  await setPersistence(auth, browserSessionPersistence);
}
