import { SAMPLE_PASSWORD } from '../../scripts/lib/sample-users.mjs';

/**
 * Signs the sample learner in without a browser. @returns {Promise<string>} the Cookie header of the session
 * @param {import('../../scripts/lib/stack.mjs').Endpoints} endpoints
 */
export async function signIn({ appOrigin, emulatorHost }) {
  const provider = `http://${emulatorHost}/identitytoolkit.googleapis.com/v1/accounts:signInWithPassword?key=any`;
  const user = { email: 'learner@campus.test', password: SAMPLE_PASSWORD, returnSecureToken: true };
  const { idToken } = await (await post(provider, user)).json();
  const opened = await post(`${appOrigin}/api/create-user-session`, { token: idToken }, appOrigin);
  return opened.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ');
}

/** @param {string} url @param {object} body @param {string} [origin] */
async function post(url, body, origin) {
  const headers = { 'content-type': 'application/json', ...(origin ? { origin } : {}) };
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}`);
  return answer;
}
