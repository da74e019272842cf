import { WebAuthnAbortService } from '@simplewebauthn/browser';

/** Opens a dialog of the browser, and closes it when the signal aborts: the promise then rejects with an `AbortError`. */
export async function withDialog<T>(open: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  const close = () => WebAuthnAbortService.cancelCeremony();
  if (signal?.aborted) throw new DOMException('Canceled before it was opened', 'AbortError');
  signal?.addEventListener('abort', close);
  try {
    return await open();
  } finally {
    signal?.removeEventListener('abort', close);
  }
}
