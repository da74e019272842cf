import crypto from 'node:crypto';
import type * as OidcLibrary from 'oidc-provider';
import type { Provider } from 'oidc-provider';

export type Library = typeof OidcLibrary;

/** The library's server, and its handler of requests. */
export type OidcServer = { provider: Provider; library: Library; handle: ReturnType<Provider['callback']> };

/** What the library calls, and Node.js has from 20.12 or 22.1 on, depending on the release line. */
export function isRuntimeSufficient(): boolean {
  return 'parse' in URL && 'hash' in crypto;
}

/** Loaded with the first request: no page needs it. */
export function loadLibrary(): Promise<Library> {
  return import('oidc-provider');
}
