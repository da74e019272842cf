// Threats: enumeration
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { attackTools } from '../../support/attack';

const { at, browser, freshEmail, endpoints } = attackTools();

/** Creates an account as an import does, with an id of the previous system. */
async function importAccount(localId: string, email: string): Promise<void> {
  const base = `http://${endpoints.emulatorHost}/identitytoolkit.googleapis.com/v1/projects/${endpoints.projectId}/accounts`;
  const init = { method: 'POST', headers: { authorization: 'Bearer owner', 'content-type': 'application/json' } };
  const body = JSON.stringify({ localId, email, password: 'correct-horse-7', emailVerified: true });
  expect((await fetch(base, { ...init, body })).status).toBe(200);
}

const measureSize = async (path: string, cookie: string, body: object) =>
  (await browser().post(at(path), body)).cookies[cookie]?.value?.length;

test('the cookie of a reset or registration has the same size for any account', async () => {
  const ids = ['7', randomUUID(), `imported-${'x'.repeat(119)}`];
  const emails = await Promise.all(
    ids.map(async (id) => {
      const email = freshEmail();
      await importAccount(`${id}-${email.slice(0, 8)}`.slice(-128), email);
      return email;
    }),
  );
  const resets = [...emails, freshEmail(), `${'long'.repeat(15)}@${'part.'.repeat(37)}test`];
  const sizes = await Promise.all(
    resets.map((email) => measureSize('/api/password-reset', 'auth-password-reset', { email })),
  );
  expect(sizes[0]).toBeGreaterThan(100);
  expect(new Set(sizes).size).toBe(1);

  const registrations = await Promise.all(
    [emails[2] ?? '', freshEmail()].map((email) =>
      measureSize('/api/registration', 'email-confirmation-token', {
        name: 'Mia Moreau',
        email,
        password: 'quiet-lantern-42',
      }),
    ),
  );
  expect(new Set([...registrations, ...sizes]).size).toBe(1);
});
