import { randomUUID } from 'node:crypto';
import { SAMPLE_PASSWORD } from '../../scripts/lib/sample-users.mjs';

/** @typedef {{ uid: string, email: string }} Person */

/**
 * Creates accounts with verified addresses in the emulator.
 * @param {import('../../scripts/lib/stack.mjs').Endpoints} endpoints
 */
export function createPeople({ emulatorHost, projectId }) {
  const post = async (/** @type {string} */ method, /** @type {object} */ body) => {
    const response = await fetch(`http://${emulatorHost}/identitytoolkit.googleapis.com/v1/${method}`, {
      method: 'POST',
      headers: { authorization: 'Bearer owner', 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${method} answered ${response.status}: ${await response.text()}`);
    return response.json();
  };
  /** @returns {Promise<Person>} */
  const createOne = async (email = `${randomUUID()}@campus.test`) => {
    const body = { email, password: SAMPLE_PASSWORD, emailVerified: true };
    const { localId } = await post(`projects/${projectId}/accounts`, body);
    return { uid: localId, email };
  };
  return {
    createOne,
    /** @param {number} count */
    create: async (count) => {
      const people = [];
      for (let i = 0; i < count; i += 1) people.push(await createOne());
      return people;
    },
    /** @param {{ email: string }} person @returns {Promise<string>} an ID token of a sign-in just now */
    fetchToken: async ({ email }) => {
      const body = { email, password: SAMPLE_PASSWORD, returnSecureToken: true };
      return (await post('accounts:signInWithPassword?key=local', body)).idToken;
    },
  };
}
