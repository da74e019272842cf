import { config } from './config.mjs';

const TIMEOUT_MS = 5_000;

/**
 * @typedef {{ uid: string, email: string | null, emailVerified: boolean | null, displayName: string | null }} Learner
 * @typedef {{ state: 'signed-in', learner: Learner } | { state: 'signed-out' } | { state: 'unknown' }} Answer
 */

/**
 * Gets the user of a request's session from the sign-in app, by forwarding the cookies.
 * @param {string | undefined} cookie the request's Cookie header
 * @returns {Promise<Answer>} `unknown` when it cannot be verified: neither grant access nor redirect to sign-in
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
 * The sign-in URL that returns the learner to a page of this site.
 * @param {string} path of this site, including the query
 */
export function signInAddress(path) {
  const address = new URL('/sign-in', config.identityOrigin);
  address.searchParams.set('redirect_uri', new URL(path, config.ownOrigin).href);
  return address.href;
}
