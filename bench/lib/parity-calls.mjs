/**
 * @typedef {(path: string, body: object) => Promise<{ status: number, body: { flow?: string } }>} Browser calls the API,
 *   and keeps its cookies
 * @typedef {{ status: number, begin?: (browser: Browser, email: string) => Promise<{ flow?: string }>, settleSeconds?: number,
 *   body: (email: string, begun: { flow?: string }) => object }} Call `status`: of its response; `begin`: what the
 *   browser does before, not measured, `settleSeconds` before the first measured call
 */

const NAME = 'Bench Person';
const PASSWORD = 'quiet-lantern-42';
/** Not the one that was emailed, but once in a billion. */
const WRONG_CODE = '222222';
/** "Resend code" is refused before (`resend` in lib/server/storage/rate-limits/table.ts). */
const RESEND_SECONDS = 31;
/** For the emails of the flows that were begun. */
const EMAILS_SECONDS = 5;

/** @param {string} path @param {(email: string) => object} getBody @returns {NonNullable<Call['begin']>} */
const beginBy = (path, getBody) => async (browser, email) => {
  const { status, body } = await browser(path, getBody(email));
  if (status !== 200) throw new Error(`${path} answered ${status}`);
  return body;
};
const getRegistration = (/** @type {string} */ email) => ({ name: NAME, email, password: PASSWORD });
const getAddress = (/** @type {string} */ email) => ({ email });
const register = beginBy('/api/registration', getRegistration);
const requestReset = beginBy('/api/password-reset', getAddress);

/**
 * Every call without a session that is about an address or an account, as `tests/repo/parity-bench.test.ts` verifies.
 * @type {Record<string, Call>}
 */
export const PARITY_CALLS = {
  '/api/password-reset': { status: 200, body: getAddress },
  '/api/registration': { status: 200, body: getRegistration },
  '/api/sign-in-help': { status: 200, body: getAddress },
  '/api/email-link': { status: 200, body: getAddress },
  '/api/actions/sign-in': { status: 410, body: (email) => ({ code: 'made-up-code', email }) },
  '/api/password-reset/resend': {
    status: 200,
    begin: requestReset,
    settleSeconds: RESEND_SECONDS,
    body: (_, begun) => begun,
  },
  '/api/registration/resend': {
    status: 200,
    begin: register,
    settleSeconds: RESEND_SECONDS,
    body: (_, begun) => begun,
  },
  '/api/password-reset/confirm': {
    ...{ status: 400, begin: requestReset, settleSeconds: EMAILS_SECONDS },
    body: (_, { flow }) => ({ flow, code: WRONG_CODE, password: PASSWORD }),
  },
  '/api/registration/confirm': {
    ...{ status: 400, begin: register, settleSeconds: EMAILS_SECONDS },
    body: (_, { flow }) => ({ flow, code: WRONG_CODE }),
  },
};

/** Calls with an address whose response has nothing to do with accounts. */
export const NOT_ABOUT_ACCOUNTS = [
  // Only the domain counts.
  '/api/enterprise/lookup',
];
