import { getOwnBrand } from '@/lib/server/notifications/email';
import { getSessionBackend } from '@/lib/server/session/require-session';
import type { SessionRequest } from '@/lib/server/session/types';

export const CLIENT = { network: null, browser: 'Firefox', system: 'Windows' };
type Attempt = { token: string; secret: string };
/** Task of a process that is killed (crashing-process.ts): a sign-in, or a disavowal by the code of its link. */
export type Task = Attempt | { code: string };

/** Builds the request of the browser with this secret. Null for a browser without a secret. */
export const toRequest = (secret: string | null): SessionRequest => ({
  enabledIdentities: () => Promise.resolve(new Set(['password', 'enterprise'])),
  secondFactorRule: () => Promise.resolve(null),
  requiredAssurance: 1,
  emailContext: () => Promise.resolve(getOwnBrand()),
  client: () => CLIENT,
  countKnownBrowser: () => Promise.resolve(false),
  sessionCookie: null,
  pendingSignIn: null,
  language: null,
  allowsRemembering: () => Promise.resolve(false),
  device: { secret },
});

/** Signs in the browser with this secret, without a request. */
export const signIn = ({ token, secret }: Attempt) => getSessionBackend().open(token, toRequest(secret));
