import type { Endpoints } from '../../scripts/lib/stack.mjs';
import { tokenBy, type TestUser } from './accounts-client';
import { CookieJar } from './client';

/** Schedules the deletion of an account, as its owner does in another browser. */
export async function scheduleDeletion(endpoints: Endpoints, user: TestUser): Promise<void> {
  const { appOrigin } = endpoints;
  const browser = new CookieJar({ origin: appOrigin, 'sec-fetch-site': 'same-origin' });
  const token = await tokenBy(endpoints, 'signInWithPassword', user);
  for (const path of ['create-user-session', 'account/delete']) {
    const answer = await browser.post(`${appOrigin}/api/${path}`, { token });
    if (answer.status !== 200) throw new Error(`${path}: ${JSON.stringify(answer.body)}`);
  }
}
