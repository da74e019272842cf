import { askForPasskey } from './dialog';
import type { RequestOptions } from './sign-in-api';

/**
 * Unused options are kept, also for the button, which then needs no request. They are requested again after three
 * quarters of the challenge's lifetime. The browser's autofill ignores `timeout`, and a visitor can be idle for longer.
 */
const REARM_MS = 225_000;

type Kept = { begun: RequestOptions; at: number };

let kept: Kept | null = null;
let pending: AbortController | null = null;

/** Returns the kept options once, or null if there are none or they are too old. */
export function takeOptions(): RequestOptions | null {
  return take()?.begun ?? null;
}

function take(): Kept | null {
  const own = kept;
  kept = null;
  return own !== null && performance.now() - own.at < REARM_MS ? own : null;
}

/** Does not use the API client, because /sign-in loads this with the page and a failure has no consequence. */
async function fetchOptions(): Promise<Kept | null> {
  try {
    const at = performance.now();
    const response = await fetch('/api/passkeys/sign-in-options', { method: 'POST' });
    return response.ok ? { begun: (await response.json()) as RequestOptions, at } : null;
  } catch {
    return null;
  }
}

/**
 * Offers passkeys in the autofill of the email field. It is silent: the form stays unchanged if the browser does not
 * support passkeys, the visitor has none, or the server does not respond.
 * @param onChosen receives the options and the chosen passkey
 * @returns a function that ends it, because no other dialog of the browser can open while it waits
 */
export function startAutofill(onChosen: (begun: RequestOptions, chosen: Credential) => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isOver = false;
  const disarm = () => {
    clearTimeout(timer);
    pending?.abort();
    pending = null;
  };
  const arm = async () => {
    disarm();
    const { signal } = (pending = new AbortController());
    const own = take() ?? (await fetchOptions());
    if (own === null || signal.aborted) return;
    kept = own;
    const { begun } = own;
    const rearm = () => {
      // A timer can fire slightly early.
      kept = null;
      void arm();
    };
    timer = setTimeout(rearm, own.at + REARM_MS - performance.now());
    const chosen = await askForPasskey(begun.options, { mediation: 'conditional', signal }).catch(() => null);
    if (chosen === null || signal.aborted) return;
    kept = null;
    onChosen(begun, chosen);
  };
  void Promise.resolve()
    .then(() => PublicKeyCredential.isConditionalMediationAvailable?.())
    .catch(() => false)
    .then((isAvailable) => (isAvailable && !isOver ? arm() : undefined));
  return () => {
    isOver = true;
    disarm();
  };
}
