import { config } from './config.mjs';

const TIMEOUT_MS = 5_000;

/**
 * @typedef {{ uid: string, email: string | null, displayName: string | null }} Learner
 * @typedef {{ state: 'signed-in', learner: Learner } | { state: 'signed-out' } | { state: 'unknown' }} Answer
 */

/**
 * Asks the sign-in app whose session a request carries, by forwarding its cookies.
 * @param {string | undefined} cookie the request's Cookie header
 * @returns {Promise<Answer>} `unknown` when the sign-in app cannot tell: neither let in nor send to sign-in then
 */
export async function whoIs(cookie) {
  if (!cookie) return { state: 'signed-out' };
  try {
    const response = await fetch(`${config.identityOrigin}/api/check-auth-status`, {
      method: 'POST',
      headers: { cookie },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (response.status === 200) return { state: 'signed-in', learner: await response.json() };
    return { state: response.status === 401 ? 'signed-out' : 'unknown' };
  } catch {
    return { state: 'unknown' };
  }
}

/**
 * The sign-in address that brings the learner back to a page of ours.
 * @param {string} path of this site, query included
 */
export function signInAddress(path) {
  const address = new URL('/sign-in', config.identityOrigin);
  address.searchParams.set('redirect_uri', new URL(path, config.ownOrigin).href);
  return address.href;
}
