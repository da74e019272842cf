import { createHash, randomBytes } from 'node:crypto';

/**
 * Acts as the mobile app: opens the sign-in app in the browser, receives the callback URL, and exchanges the code for a
 * custom token (RFC 8252, PKCE of RFC 7636).
 */

/**
 * @param {{ appOrigin: string, scheme?: string }} options
 * @returns {{ address: string, state: string, verifier: string }} `address` is the URL to open in the browser
 */
export function beginSignIn({ appOrigin, scheme = 'campus' }) {
  const verifier = randomBytes(48).toString('base64url');
  const state = randomBytes(16).toString('base64url');
  const address = new URL('/mobile/account-selection', appOrigin);
  address.search = new URLSearchParams({
    redirect_uri: `${scheme}://oauth-callback`,
    state,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  }).toString();
  return { address: address.href, state, verifier };
}

/**
 * @param {string} callback the callback URL with its query
 * @param {{ state: string }} begun
 * @returns {string} the code
 * @throws Error for a response to a different request
 */
export function codeFrom(callback, { state }) {
  const { searchParams } = new URL(callback);
  if (searchParams.get('state') !== state) throw new Error('The state is not ours: this answer is refused.');
  const code = searchParams.get('code');
  if (!code) throw new Error('The answer holds no code.');
  return code;
}

/**
 * @param {{ appOrigin: string, code: string, verifier: string }} exchange
 * @returns {Promise<string>} a custom token of the identity provider
 */
export async function exchangeCode({ appOrigin, code, verifier }) {
  const response = await fetch(new URL('/api/mobile/token', appOrigin), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code, code_verifier: verifier }),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(`The exchange was refused: ${answer.code}`);
  return answer.customToken;
}

/**
 * Signs in with a custom token, as the identity provider's own mobile library does.
 * @param {{ emulatorHost: string, customToken: string }} options
 * @returns {Promise<string>} the user's ID token
 */
export async function signInWithCustomToken({ emulatorHost, customToken }) {
  const address = `http://${emulatorHost}/identitytoolkit.googleapis.com/v1/accounts:signInWithCustomToken?key=local-api-key`;
  const response = await fetch(address, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token: customToken, returnSecureToken: true }),
  });
  if (!response.ok) throw new Error(`The custom token was refused: ${await response.text()}`);
  return (await response.json()).idToken;
}
