import { createPublicKey, verify } from 'node:crypto';

/** Public keys of session cookies, as X.509 certificates by their id, of every project. */
const PUBLISHED_KEYS = 'https://www.googleapis.com/identitytoolkit/v3/relyingparty/publicKeys';
const DEFAULT_KEYS_TTL_MS = 60 * 60_000;
/** They are fetched no sooner again, whether that fails or an id is not among them. */
const REFETCH_MS = 60_000;
/** How far this clock may be ahead. A session that has just ended is one call; one that is refused for its clock alone would end in a loop. */
const CLOCK_SKEW_SECONDS = 300;
const TIMEOUT_MS = 5_000;

/**
 * Verifies session cookies of the sign-in app by themselves: that its identity provider has signed one, for your project, and that it has
 * not expired. It does not say that the session still exists: ask the sign-in app for that.
 * @param {{ projectId: string, keysUrl?: string, now?: () => number }} options `projectId`: of the identity provider
 * @returns {(cookie: string) => Promise<'genuine' | 'refused' | 'unknown'>} `unknown`: its key may be one that
 *   cannot be fetched now; let the sign-in app decide
 */
export function createCookieVerifier({ projectId, keysUrl = PUBLISHED_KEYS, now = Date.now }) {
  /** By their ids. @type {Map<string, import('node:crypto').KeyObject>} */
  let keys = new Map();
  let until = 0;
  let triedAt = -Infinity;
  /** Whether it succeeds. @type {Promise<boolean> | null} */
  let fetching = null;

  async function fetchKeys() {
    const response = await fetch(keysUrl, { signal: AbortSignal.timeout(TIMEOUT_MS) });
    if (!response.ok) throw new Error(`The keys of session cookies: ${response.status}`);
    keys = new Map(Object.entries(await response.json()).map(([id, pem]) => [id, createPublicKey(pem)]));
    const [, seconds] = /max-age=(\d+)/.exec(response.headers.get('cache-control') ?? '') ?? [];
    until = now() + (seconds === undefined ? DEFAULT_KEYS_TTL_MS : Number(seconds) * 1_000);
    return true;
  }

  /** @param {string} id @returns {Promise<import('node:crypto').KeyObject | 'refused' | 'unknown'>} */
  async function findKey(id) {
    const isDue = until <= now() || !keys.has(id);
    if (isDue && !fetching && triedAt + REFETCH_MS <= now()) {
      triedAt = now();
      // The keys of before are better than none.
      fetching = fetchKeys()
        .catch(() => false)
        .finally(() => (fetching = null));
    }
    // One that was withdrawn goes when the newer ones are there; the sign-in app is asked in any case.
    const known = keys.get(id);
    if (known) return known;
    // Keys of before do not say that there is no newer one.
    const isNew = isDue && (await fetching);
    return keys.get(id) ?? (isNew ? 'refused' : 'unknown');
  }

  return async (cookie) => {
    const parts = cookie.split('.');
    const [header, claims] = parts.slice(0, 2).map(parse);
    if (parts.length !== 3 || header?.alg !== 'RS256' || typeof header.kid !== 'string') return 'refused';
    const seconds = now() / 1_000;
    const isOurs =
      claims?.iss === `https://session.firebase.google.com/${projectId}` &&
      claims.aud === projectId &&
      typeof claims.sub === 'string' &&
      claims.sub !== '' &&
      typeof claims.exp === 'number' &&
      claims.exp > seconds - CLOCK_SKEW_SECONDS;
    if (!isOurs) return 'refused';
    const key = await findKey(header.kid);
    if (typeof key === 'string') return key;
    const signed = Buffer.from(parts.slice(0, 2).join('.'));
    const isGenuine = verify('RSA-SHA256', signed, key, Buffer.from(parts[2] ?? '', 'base64url'));
    return isGenuine ? 'genuine' : 'refused';
  };
}

/** @param {string} part @returns {Record<string, unknown> | null} */
function parse(part) {
  try {
    const value = JSON.parse(Buffer.from(part, 'base64url').toString());
    return typeof value === 'object' ? value : null;
  } catch {
    return null;
  }
}
