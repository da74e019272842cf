import type { AuthProvider, UserCredential } from 'firebase/auth';
import { isSocialProvider, SOCIAL_PROVIDERS, type SocialProviderId } from '@/lib/shared/sign-in-methods';
import type { PublicEnv } from '@/lib/shared/config/public-env';
import { promiseTimeout } from '@/lib/shared/promise-timeout';
import { loadAuth } from './firebase';

/**
 * Scopes requested in addition to the default. Sign-in is rejected without an email address. They are not in the table
 * of providers, because pages load that with their buttons.
 */
const SCOPES: Record<SocialProviderId, readonly string[]> = {
  'google.com': ['profile', 'email'],
  'microsoft.com': ['openid', 'email', 'profile'],
  'apple.com': ['email', 'name'],
  'facebook.com': ['email'],
  'linkedin.com': ['email', 'profile'],
  'github.com': ['user:email'],
  'twitter.com': [],
};

/** Each provider's parameter for the language of its pages. Other providers use OpenID's `ui_locales`, or ignore it. */
const LANGUAGE_PARAMETERS: Partial<Record<ProviderId, string>> = {
  'google.com': 'hl',
  'apple.com': 'locale',
  'twitter.com': 'lang',
};

/**
 * A social provider by our id, or an enterprise or partner provider by the identity provider's id (`saml.*`, `oidc.*`).
 */
export type ProviderId = string;

/**
 * Creates the SDK's object for a provider. If learners can choose a language, the provider's pages use the language of
 * this page.
 * @throws Error `Cannot use redirect for password`, `Unsupported authentication provider: {provider}`
 *   (docs/product.md#validation)
 */
export async function createFederatedProvider(
  { locales }: Pick<PublicEnv, 'locales'>,
  id: ProviderId,
): Promise<AuthProvider> {
  if (id === 'password') throw new Error('Cannot use redirect for password');
  const { OAuthProvider, SAMLAuthProvider } = await import('./sdk');
  const create = (firebaseId: string) => {
    const provider = new OAuthProvider(firebaseId);
    const name = LANGUAGE_PARAMETERS[id] ?? 'ui_locales';
    if (locales) provider.setCustomParameters({ [name]: document.documentElement.lang });
    return provider;
  };
  if (isSocialProvider(id)) {
    const provider = create(SOCIAL_PROVIDERS[id].firebaseId);
    SCOPES[id].forEach((scope) => provider.addScope(scope));
    return provider;
  }
  // SAML has no parameter for the language.
  if (/^saml\.[\w-]+$/.test(id)) return new SAMLAuthProvider(id);
  if (/^oidc\.[\w-]+$/.test(id)) return create(id);
  throw new Error(`Unsupported authentication provider: ${id}`);
}

/** How often to check whether the provider's window is closed, in milliseconds. */
const POLL_MS = 200;
/** How long a sign-in may take to succeed after its window closed itself, in milliseconds. */
const GRACE_MS = 500;
/** How long the SDK may take to open the window, in milliseconds. It never does if a script of its helper hangs. */
const OPEN_TIMEOUT_MS = 20_000;

export type PopupWatcher = {
  /** Cancels the call, because its window is closed or never opened. */
  signal?: AbortSignal | undefined;
  /** The window is open. */
  onOpen?: (() => void) | undefined;
  /**
   * Called when the user closed the window. It is not final, because some browsers hide an open window from its opener
   * (Cross-Origin-Opener-Policy). The call can still succeed.
   */
  onClosed?: (() => void) | undefined;
};

/** A call of the SDK. `onRequest`: called when the SDK requests the window. */
type Attempt = { window: Window | null; isOver: boolean; onRequest: () => void; onOpen?: (() => void) | undefined };

let current: Attempt | null = null;
/** Resolves when the latest call has opened its window or has failed. */
let requested: Promise<unknown> = Promise.resolve();
let isRecording = false;

/**
 * Runs an SDK call that opens the provider's window (docs/adr/0026-window-open-is-wrapped.md). If the user leaves the
 * page, the window is closed, because its result could not be delivered.
 * @throws FirebaseError, `auth/cancelled-popup-request` after `signal` was aborted; Error `timeout!` if the window does
 *   not open within 20 s
 */
export async function withPopup<T>(call: () => Promise<T>, { signal, onOpen, onClosed }: PopupWatcher): Promise<T> {
  recordPopups();
  const attempt: Attempt = { window: null, isOver: signal?.aborted === true, onRequest: () => undefined, onOpen };
  const end = () => {
    attempt.isOver = true;
    attempt.window?.close();
  };
  signal?.addEventListener('abort', end);
  window.addEventListener('pagehide', end);
  const stopWatching = watchClosed(attempt, onClosed);
  try {
    return await runInTime(attempt, call);
  } catch (error) {
    throw signal?.aborted ? canceled() : error;
  } finally {
    attempt.isOver = true;
    stopWatching();
    signal?.removeEventListener('abort', end);
    window.removeEventListener('pagehide', end);
  }
}

/**
 * Runs a call and limits the time until its window is open. The SDK cannot cancel a call before that, so a later call
 * waits.
 */
async function runInTime<T>(attempt: Attempt, call: () => Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const expiry = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('timeout!')), OPEN_TIMEOUT_MS);
  });
  const opened = new Promise<void>((resolve) => {
    attempt.onRequest = () => {
      clearTimeout(timer);
      resolve();
    };
  });
  const run = async (): Promise<T> => {
    await requested;
    if (attempt.isOver) throw canceled();
    current = attempt;
    const result = call();
    requested = Promise.race([opened, result.catch(() => undefined)]);
    return result;
  };
  try {
    return await Promise.race([run(), expiry]);
  } finally {
    clearTimeout(timer);
  }
}

/** Creates an error with the SDK's own code for a replaced call. */
function canceled(): Error {
  return Object.assign(new Error('canceled'), { code: 'auth/cancelled-popup-request' });
}

/**
 * Watches for a closed window, which the SDK itself reports only after ten seconds. @returns a function that stops
 * watching
 */
function watchClosed(attempt: Attempt, onClosed: (() => void) | undefined): () => void {
  let closedFor = 0;
  const timer = setInterval(() => {
    // Focus is elsewhere, for example in a window that only seems closed.
    if (!attempt.window?.closed || !document.hasFocus()) return;
    closedFor += POLL_MS;
    if (closedFor <= GRACE_MS) return;
    clearInterval(timer);
    onClosed?.();
  }, POLL_MS);
  return () => clearInterval(timer);
}

/** Records the windows that the SDK opens, because it does not return them. */
function recordPopups(): void {
  if (isRecording) return;
  isRecording = true;
  const open = window.open.bind(window);
  window.open = (...args) => {
    const attempt = current;
    if (attempt === null) return open(...args);
    current = null;
    // The SDK treats this like a blocked popup, and gives up.
    if (attempt.isOver) return null;
    attempt.onRequest();
    attempt.window = open(...args);
    if (attempt.window) attempt.onOpen?.();
    return attempt.window;
  };
}

/**
 * Timeout for the result from the helper's iframe, in milliseconds. Without storage access, the helper never responds.
 */
const RESULT_TIMEOUT_MS = 15_000;

/**
 * Fetches the provider's result of the redirect that this tab has returned from.
 * @returns null if there is no result
 * @throws FirebaseError for a refusal; Error `timeout!` after 15 s
 */
export async function getRedirectResultInTime(env: PublicEnv): Promise<UserCredential | null> {
  const [auth, sdk] = await Promise.all([loadAuth(env), import('./sdk')]);
  return promiseTimeout(sdk.getRedirectResult(auth, sdk.browserPopupRedirectResolver), RESULT_TIMEOUT_MS);
}
