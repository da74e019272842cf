import { randomUUID } from 'node:crypto';
import type { Page } from '@playwright/test';
import { decodeJwt } from 'jose';
import { callProvider, type TestUser } from './accounts-client';
import { codeIn, mailsBesidesAlerts } from './mail';
import type { Endpoints } from '../../scripts/lib/stack.mjs';

type Answer = { status: number; body?: unknown };

/**
 * Registers an account as a learner does, and signs in. Its first browser is the owner's and is not announced, unlike
 * the first browser of an account that an operator created.
 * @param post calls the app from that browser
 */
export async function registerOwner(
  endpoints: Endpoints,
  post: (path: string, body: object) => Promise<Answer>,
): Promise<TestUser> {
  const owner = { name: 'Mia Moreau', email: `${randomUUID()}@campus.test`, password: 'early-lantern-41' };
  await post('/api/registration', owner);
  const [mail = { text: '' }] = await mailsBesidesAlerts(endpoints, owner.email);
  const confirmed = await post('/api/registration/confirm', { code: codeIn(mail) });
  const { customToken: token } = confirmed.body as { customToken?: string };
  const signedIn = await callProvider(endpoints, 'accounts:signInWithCustomToken', { token, returnSecureToken: true });
  const opened = await post('/api/create-user-session', { token: signedIn.body.idToken });
  if (opened.status !== 200) throw new Error(`Not signed in: ${JSON.stringify(opened.body)}`);
  return { ...owner, uid: decodeJwt(String(signedIn.body.idToken)).sub ?? '' };
}

/** Calls the app as a page's own scripts do. */
export function postBy(page: Page, { appOrigin }: Endpoints) {
  const headers = { origin: appOrigin, 'sec-fetch-site': 'same-origin' };
  return async (path: string, data: object): Promise<Answer> => {
    const answer = await page.request.post(appOrigin + path, { data, headers });
    return { status: answer.status(), body: await answer.json().catch(() => undefined) };
  };
}
