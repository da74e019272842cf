import { randomUUID } from 'node:crypto';
import { callProvider } from './accounts-client';
import { codeIn, mailsBesidesAlerts } from './mail';
import type { Endpoints } from '../../scripts/lib/stack.mjs';

type Answer = { status: number; body?: unknown };

/**
 * Registers an account as a learner does, and signs in: unlike that of an account which an operator made, its first browser is the owner's, and is not announced.
 * @param post calls the app from that browser
 */
export async function registerOwner(
  endpoints: Endpoints,
  post: (path: string, body: object) => Promise<Answer>,
): Promise<{ name: string; email: string; password: string }> {
  const owner = { name: 'Mia Moreau', email: `${randomUUID()}@campus.test`, password: 'quiet-lantern-42' };
  await post('/api/registration', owner);
  const [mail = { text: '' }] = await mailsBesidesAlerts(endpoints, owner.email);
  const confirmed = await post('/api/registration/confirm', { code: codeIn(mail) });
  const { customToken: token } = confirmed.body as { customToken?: string };
  const signedIn = await callProvider(endpoints, 'accounts:signInWithCustomToken', { token, returnSecureToken: true });
  const opened = await post('/api/create-user-session', { token: signedIn.body.idToken });
  if (opened.status !== 200) throw new Error(`Not signed in: ${JSON.stringify(opened.body)}`);
  return owner;
}
