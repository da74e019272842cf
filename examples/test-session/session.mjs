import { pathToFileURL } from 'node:url';

/**
 * Creates a session without a browser, for a platform's own tests against `npm run demo`: signs in at the Auth emulator and
 * exchanges the ID token for a session. It cannot be used with a real identity provider.
 * @param {{ email?: string, password?: string, appOrigin?: string, emulatorHost?: string }} [options] a sample user by
 *   default; `emulatorHost`: host and port of the emulator
 * @returns {Promise<string>} the Cookie header of the session
 */
export async function createTestSession({
  email = 'learner@campus.test',
  password = 'correct-horse-7',
  appOrigin = process.env.IDENTITY_ORIGIN || 'http://localhost:3000',
  emulatorHost = process.env.EMULATOR_HOST || 'localhost:9099',
} = {}) {
  const address = `http://${emulatorHost}/identitytoolkit.googleapis.com/v1/accounts:signInWithPassword?key=local-api-key`;
  const { body } = await postJson(address, { email, password, returnSecureToken: true });
  // The API accepts this call only from a page of the main domain.
  const { cookies } = await postJson(
    `${appOrigin}/api/create-user-session`,
    { token: body.idToken },
    { origin: appOrigin },
  );
  const session = cookies.find((cookie) => cookie.startsWith('_secure-user-session='));
  if (!session) throw new Error('The response set no session cookie.');
  return session.split(';')[0] ?? '';
}

/** @param {string} address @param {object} data @param {Record<string, string>} [headers] */
async function postJson(address, data, headers) {
  const init = {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(data),
  };
  const response = await fetch(address, init).catch((cause) => {
    throw new Error(`Nothing responds at ${new URL(address).origin}: does "npm run demo" run there?`, { cause });
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${new URL(address).pathname} responded with ${response.status}: ${text}`);
  return { body: JSON.parse(text), cookies: response.headers.getSetCookie() };
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [email, password] = process.argv.slice(2);
  await createTestSession({ email, password }).then(console.log, (error) => {
    console.error(error.message);
    process.exitCode = 1;
  });
}
