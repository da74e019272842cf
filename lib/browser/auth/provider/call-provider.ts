import type { PublicEnv } from '@/lib/shared/config/public-env';
import { abortAfter } from '@/lib/shared/time-limit';

const HOST = 'identitytoolkit.googleapis.com';

/** Request timeout in milliseconds, as for calls of our own API. */
const REQUEST_TIMEOUT_MS = 30_000;

/**
 * Calls the identity provider's public REST API.
 * @param method for example `accounts:lookup`
 * @returns whether it succeeded, and the body, which holds an error's code otherwise
 * @throws TypeError, DOMException or SyntaxError if no answer arrives, or another server answers
 */
export async function callProvider<Body extends object>(
  env: PublicEnv,
  method: string,
  question: object,
): Promise<{ ok: boolean; body: Partial<Body> }> {
  const response = await fetch(getProviderUrl(env, method), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(question),
    signal: abortAfter(REQUEST_TIMEOUT_MS),
  });
  return { ok: response.ok, body: Object(await response.json()) as Partial<Body> };
}

/** Returns the URL of a method of the identity provider's public REST API. @param method for example `accounts:lookup` */
export function getProviderUrl({ firebase: { emulatorUrl, apiKey } }: PublicEnv, method: string): string {
  const home = emulatorUrl === null ? `https://${HOST}` : `${emulatorUrl}/${HOST}`;
  return `${home}/v1/${method}?key=${encodeURIComponent(apiKey)}`;
}
