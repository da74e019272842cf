import type { NextApiRequest } from 'next';
import * as z from 'zod/mini';
import { emailField } from '@/lib/account/fields';
import { appendCookies } from '@/lib/cookies/server';
import { apiRoute, type Route } from '../api';
import { mailTo, MAILED } from './mail-call';
import type { Setting } from './registration';

const body = z.object({ email: emailField });

/**
 * A call of own pages that mails the address it is given; the answer does not tell what, nor whether anybody has it.
 * @param work what mails
 * @param cookies `Set-Cookie` values of the answer, given what the work returned
 */
export function mailRoute<T>(
  work: (email: string, setting: Setting) => Promise<T>,
  cookies: (made: T, asked: { req: NextApiRequest; email: string }) => string[] = () => [],
): Route {
  return apiRoute(
    { method: 'POST', body, stateChanging: true, limit: 'mail-by-client', audience: 'own' },
    async ({ req, res, body: { email } }) => {
      const made = await mailTo(req, email, (setting) => work(email, setting));
      appendCookies(res, cookies(made, { req, email }));
      return MAILED;
    },
  );
}
