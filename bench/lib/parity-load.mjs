import { setTimeout as wait } from 'node:timers/promises';
import { TOTP } from 'otpauth';
import { getAnyNetwork } from './client.mjs';
import { DELAY_HEADER } from './parity-proxy.mjs';
import { createPeople } from './people.mjs';

/** @typedef {import('../../scripts/lib/stack.mjs').Endpoints} Endpoints */

const SET_UPS_PER_SECOND = 4;
/**
 * Below the limit `derive-recovery-codes` (lib/server/storage/rate-limits/table.ts), and within five minutes of the
 * sign-in.
 */
const SET_UPS_OF_ACCOUNT = 8;
const BUSY_BROWSERS = 4;
const BUSY_PAUSE_MS = 50;
const EMAIL_WAIT_MS = 30_000;
const EMAIL_POLL_MS = 100;

/**
 * Keeps the app busy. Each set-up of an authenticator app derives ten recovery codes, which is the most expensive call.
 * Browsers also load pages and check a session.
 * @param {Endpoints} endpoints
 * @returns {() => Promise<Record<string, number>>} ends it, and returns the number of responses by kind and status
 */
export function startLoad(endpoints) {
  /** @type {Record<string, number>} */
  const responses = {};
  const count = (/** @type {string} */ kind, /** @type {number} */ status) => {
    responses[`${kind} ${status}`] = (responses[`${kind} ${status}`] ?? 0) + 1;
  };
  const controller = new AbortController();
  const { signal } = controller;
  /** @type {{ browser: ReturnType<typeof createBrowser>, left: number }[]} */
  const free = [];
  const setUp = async () => {
    const own = free.shift() ?? { browser: await signIn(endpoints), left: SET_UPS_OF_ACCOUNT };
    const begun = await own.browser('/api/second-factor/add-app', {});
    if (begun.status !== 200) throw new Error(`add-app answered ${begun.status}: ${begun.text}`);
    const code = new TOTP({ secret: JSON.parse(begun.text).secret.replaceAll(' ', '') }).generate();
    count('set-up', (await own.browser('/api/second-factor/confirm-app', { code })).status);
    if ((own.left -= 1) > 0) free.push(own);
  };
  const everyQuarter = async () => {
    const running = new Set();
    while (!signal.aborted) {
      const one = setUp()
        // A set-up that waits for a minute in the queue of derivations gets no response, which is load too.
        .catch((/** @type {unknown} */ error) => {
          if (!(error instanceof TypeError)) throw error;
          count('set-up without an answer', 0);
        })
        .finally(() => running.delete(one));
      running.add(one);
      await wait(1000 / SET_UPS_PER_SECOND);
    }
    await Promise.all(running);
  };
  const browse = async () => {
    const browser = await signIn(endpoints);
    while (!signal.aborted) {
      count('session check', (await browser('/api/check-auth-status', {})).status);
      const page = await fetch(`${endpoints.appOrigin}/sign-in`, { headers: { connection: 'close' } });
      await page.text();
      count('page', page.status);
      await wait(BUSY_PAUSE_MS);
    }
  };
  const all = Promise.all([everyQuarter(), ...Array.from({ length: BUSY_BROWSERS }, browse)]);
  // The error is thrown where the load ends.
  all.catch(() => undefined);
  return async () => {
    controller.abort();
    await all;
    return responses;
  };
}

/**
 * Creates a browser in a separate network, so that limits count it separately. Each call has its own connection,
 * because a busy app closes idle ones at any time.
 * @param {string} appOrigin
 * @param {{ origin: string, delay: number } | null} [proxy] between it and the app, and for how many milliseconds that
 *   holds responses back
 */
export function createBrowser(appOrigin, proxy = null) {
  /** @type {Map<string, string>} */
  const cookies = new Map();
  const network = getAnyNetwork();
  return async (/** @type {string} */ path, /** @type {object} */ body) => {
    const cookie = [...cookies].map((pair) => pair.join('=')).join('; ');
    const headers = {
      origin: appOrigin,
      'content-type': 'application/json',
      'x-forwarded-for': network,
      cookie,
      connection: 'close',
      ...(proxy && { [DELAY_HEADER]: String(proxy.delay) }),
    };
    const begin = performance.now();
    const response = await fetch((proxy?.origin ?? appOrigin) + path, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    const text = await response.text();
    const milliseconds = performance.now() - begin;
    for (const header of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(header) ?? [];
      cookies.set(name, value);
    }
    return { status: response.status, text, milliseconds };
  };
}

/** @param {Endpoints} endpoints @returns {Promise<string>} the code of a valid sign-in link to a new account, as the app emails it */
export async function createSignInCode(endpoints) {
  const { email } = await createPeople(endpoints).createOne();
  await createBrowser(endpoints.appOrigin)('/api/email-link', { email });
  for (const until = Date.now() + EMAIL_WAIT_MS; Date.now() < until; await wait(EMAIL_POLL_MS)) {
    const answer = await fetch(`${endpoints.mailboxUrl}/email?to.address=${encodeURIComponent(email)}`);
    /** @type {{ text: string }[]} */
    const [mail] = await answer.json();
    const code = mail && /oobCode=([^&\s]+)/.exec(mail.text)?.[1];
    if (code) return code;
  }
  throw new Error('The sign-in link was not emailed');
}

/** @param {Endpoints} endpoints a browser with the session of a new account */
async function signIn(endpoints) {
  const people = createPeople(endpoints);
  const browser = createBrowser(endpoints.appOrigin);
  const token = await people.fetchToken(await people.createOne());
  const { status, text } = await browser('/api/create-user-session', { token });
  if (status !== 200) throw new Error(`No session: ${text}`);
  return browser;
}
