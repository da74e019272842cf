import type { NextApiRequest } from 'next';
import * as z from 'zod/mini';
import { emailField } from '@/lib/shared/account/fields';
import { appendCookies, apiRoute, type Route } from '@/lib/server/http';
import type { EmailPurpose } from './limits';
import { emailAndRespond, EMAIL_SENT } from './email-and-respond';
import type { RequestedEmailKind } from './requested-email';

const body = z.object({ email: emailField });

/**
 * A route for own pages that emails the given address a link or other help, behind the response, which reveals neither what was sent nor
 * whether an account exists.
 * @param purpose what the email is for
 * @param cookies `Set-Cookie` values of the response
 */
export function emailRoute(
  purpose: Extract<EmailPurpose, RequestedEmailKind>,
  cookies: (request: { req: NextApiRequest; email: string; flow: string }) => string[] = () => [],
): Route {
  return apiRoute(
    { method: 'POST', body, stateChanging: true, limit: 'email-by-client', audience: 'own' },
    async ({ req, res, body: { email } }) => {
      const { flow } = await emailAndRespond({ req, res }, { purpose, email }, () => ({
        result: null,
        email: { kind: purpose, email },
      }));
      appendCookies(res, cookies({ req, email, flow }));
      return EMAIL_SENT;
    },
  );
}
