import type { IncomingMessage } from 'node:http';
import { inEvenTime } from './even-time';
import { countMail, RESEND_AFTER } from './limits';
import type { Setting } from './registration';
import { settingOf } from './setting';

type WithCookies = IncomingMessage & { cookies: Partial<Record<string, string>> };
type Options = {
  /** The person pressed "Resend code": refused until the wait is over. */
  again?: boolean;
};

/** What every call that mails answers: seconds until the next mail may be asked for. */
export const MAILED = { resendAfter: RESEND_AFTER };

/**
 * Does what mails an address: counted for the address first, and in a time that does not tell whether it has an account.
 * @param work what mails; given what the mail looks like and where it leads
 * @throws ApiProblem `too-many-requests`, and whatever the work throws
 */
export async function mailTo<T>(
  req: WithCookies,
  email: string,
  work: (setting: Setting) => Promise<T>,
  { again = false }: Options = {},
): Promise<T> {
  await countMail(email, { again });
  return inEvenTime(async () => work(await settingOf(req)));
}
