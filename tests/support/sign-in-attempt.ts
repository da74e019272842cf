import { getOwnBrand } from '@/lib/server/notifications/email';
import { getSessionBackend } from '@/lib/server/session/require-session';
import type { SessionRequest } from '@/lib/server/session/types';

export const CLIENT = { network: null, browser: 'Firefox', system: 'Windows' };
type Attempt = { token: string; secret: string };
/** Of a process that is killed (crashing-process.ts): a sign-in, or the disavowal of one by the code of its link. */
export type Task = Attempt | { code: string };

/** What a request says of the browser with this secret; null: it has none. */
export const toRequest = (secret: string | null): SessionRequest => ({
  enabledSocial: () => Promise.resolve(new Set()),
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

/** A sign-in of the browser with this secret, without a request. */
export const signIn = ({ token, secret }: Attempt) => getSessionBackend().open(token, toRequest(secret));
