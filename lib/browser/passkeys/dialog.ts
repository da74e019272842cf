/** How a passkey is requested. `uiMode`: `immediate` needs a single tap or none (explainer of immediate mediation). */
export type AssertionRequest = { mediation?: 'conditional'; uiMode?: 'immediate'; signal?: AbortSignal };

// Separate from the code that reads the chosen passkey (credential.ts), because /sign-in loads this with the page for
// the autofill.

/**
 * Requests a passkey by a dialog of the browser, or in the autofill of a field.
 * @throws DOMException of WebAuthn Level 3, section 5.1.4
 */
export async function askForPasskey(
  options: PublicKeyCredentialRequestOptionsJSON,
  { signal, ...request }: AssertionRequest = {},
): Promise<Credential | null> {
  const publicKey = {
    ...options,
    challenge: decode(options.challenge),
    allowCredentials: options.allowCredentials?.map(toDescriptor),
  } as PublicKeyCredentialRequestOptions;
  return navigator.credentials.get({ ...request, publicKey, signal: takeTurn(signal) });
}

let last: AbortController | null = null;

/**
 * Aborts the previous dialog, because the browser shows only one at a time. @param signal also closes the new dialog
 * when aborted
 */
export function takeTurn(signal: AbortSignal | undefined): AbortSignal {
  last?.abort();
  const own = (last = new AbortController());
  if (signal?.aborted) own.abort();
  signal?.addEventListener('abort', () => own.abort(), { once: true });
  return own.signal;
}

export function toDescriptor({ id, ...descriptor }: PublicKeyCredentialDescriptorJSON) {
  return { ...descriptor, id: decode(id) };
}

export function decode(base64url: string): ArrayBuffer {
  const base64 = base64url.replaceAll('-', '+').replaceAll('_', '/');
  return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0)).buffer;
}
