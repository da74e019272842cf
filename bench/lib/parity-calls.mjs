import { createSignInCode } from './parity-load.mjs';

/**
 * @typedef {{ flow?: string, code?: string }} Begun
 * @typedef {(path: string, body: object) => Promise<{ status: number, body: { flow?: string } }>} Post calls the API,
 *   and keeps the cookies
 * @typedef {{ post: Post, email: string, endpoints: import('../../scripts/lib/stack.mjs').Endpoints }} Occasion
 * @typedef {{ path: string, status: number, begin?: (occasion: Occasion) => Promise<Begun>, settleSeconds?: number,
 *   body: (email: string, begun: Begun) => object }} Call `status`: of its response. `begin`: what the browser does
 *   before, not measured. `settleSeconds`: pause before the first measured call
 */

const NAME = 'Bench Person';
const PASSWORD = 'quiet-lantern-42';
/** Differs from the emailed code, except once in a billion. */
const WRONG_CODE = '222222';
/** "Resend code" is refused earlier (`resend` in lib/server/storage/rate-limits/table.ts). */
const RESEND_SECONDS = 31;
/** Time for the emails of the flows to be sent. */
const EMAILS_SECONDS = 5;

/** @param {string} path @param {(email: string) => object} getBody @returns {NonNullable<Call['begin']>} */
const beginBy =
  (path, getBody) =>
  async ({ post, email }) => {
    const { status, body } = await post(path, getBody(email));
    const { flow } = body;
    if (status !== 200 || flow === undefined) throw new Error(`${path} answered ${status}`);
    return { flow };
  };
const getRegistration = (/** @type {string} */ email) => ({ name: NAME, email, password: PASSWORD });
const getAddress = (/** @type {string} */ email) => ({ email });
const register = beginBy('/api/registration', getRegistration);
const requestReset = beginBy('/api/password-reset', getAddress);
const requestSignIn = beginBy('/api/email-link', getAddress);

/** @type {Omit<Call, 'path'>} */
const byAddress = { status: 200, body: getAddress };
const again = {
  status: 200,
  settleSeconds: RESEND_SECONDS,
  body: (/** @type {string} */ _, /** @type {Begun} */ { flow }) => ({ flow }),
};
const wrong = { status: 400, settleSeconds: EMAILS_SECONDS };

/** @type {Record<string, Omit<Call, 'path'>>} */
const calls = {
  '/api/password-reset': byAddress,
  '/api/registration': { status: 200, body: getRegistration },
  '/api/sign-in-help': byAddress,
  '/api/email-link': byAddress,
  '/api/email-link/confirm': { ...wrong, begin: requestSignIn, body: (_, { flow }) => ({ flow, code: WRONG_CODE }) },
  // Uses a valid link to another account.
  '/api/actions/sign-in': {
    status: 400,
    begin: async ({ endpoints }) => ({ code: await createSignInCode(endpoints) }),
    body: (email, { code }) => ({ code, email }),
  },
  '/api/password-reset/resend': { ...again, begin: requestReset },
  '/api/registration/resend': { ...again, begin: register },
  '/api/password-reset/confirm': {
    ...{ ...wrong, begin: requestReset },
    body: (_, { flow }) => ({ flow, code: WRONG_CODE, password: PASSWORD }),
  },
  '/api/registration/confirm': { ...wrong, begin: register, body: (_, { flow }) => ({ flow, code: WRONG_CODE }) },
};

/**
 * Lists every call without a session whose time could reveal whether an address has an account.
 * @type {Record<string, Call>}
 */
export const PARITY_CALLS = Object.fromEntries(Object.entries(calls).map(([path, call]) => [path, { path, ...call }]));

const NOTHING = 'reads no account';
const BY_TOKEN = 'takes an ID token, whose user is known to have an account';
const BY_LINK = 'takes a sealed link, which only the mailbox of an account has got';
const BY_SIGN_IN = 'takes the cookie of a sign-in whose first factor was shown';
const BY_PASSKEY = 'takes the id of a passkey, random bytes that only its authenticator and this server know';
const BY_SESSION = 'takes the cookie of a session';

/**
 * Lists the other calls without a session, with the reason why they need no comparison.
 * `tests/repo/parity-bench.test.ts` verifies that every call is in a list.
 * @type {Record<string, string>}
 */
export const NOT_BY_ADDRESS = {
  '/api/account/first-password': BY_TOKEN,
  '/api/actions/disavow-sign-in': BY_LINK,
  '/api/actions/keep-account': BY_LINK,
  '/api/actions/keep-second-factor': BY_LINK,
  '/api/actions/reset-password': BY_LINK,
  '/api/actions/undo-email-change': BY_LINK,
  '/api/actions/verify-email': BY_LINK,
  '/api/apple-app-site-association': NOTHING,
  '/api/asset-links': NOTHING,
  '/api/auth-helper/{path}': NOTHING,
  '/api/clear-device': BY_SESSION,
  '/api/config/by-origin/{origin}': NOTHING,
  '/api/config/local': NOTHING,
  '/api/create-user-session': BY_TOKEN,
  '/api/csp-report': NOTHING,
  '/api/email-confirmation': BY_TOKEN,
  '/api/enterprise/lookup': `${NOTHING}: only the domain of the address counts`,
  '/api/health/live': NOTHING,
  '/api/health/ready': NOTHING,
  '/api/initiate-logout': BY_SESSION,
  '/api/mobile/token': 'takes a code that a signed-in user has just got',
  '/api/monitoring': NOTHING,
  '/api/passkeys/sign-in': BY_PASSKEY,
  '/api/passkeys/sign-in-options': NOTHING,
  '/api/passkeys': NOTHING,
  '/api/related-origins': NOTHING,
  '/api/second-factor/reset': BY_SIGN_IN,
  '/api/second-factor/reset-code': BY_SIGN_IN,
  '/api/second-factor/sign-in': BY_SIGN_IN,
  '/api/security-txt': NOTHING,
};
