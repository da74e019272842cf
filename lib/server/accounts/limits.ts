import { consume, note } from '../limits';
import { digest } from '../session/sid';

/** Seconds until "Resend code" may be used (product decisions, 6). */
export const RESEND_AFTER = 30;

/**
 * Counts a mail to an address, whether or not somebody owns it, and starts the wait until the next one may be asked for.
 * @param again the person pressed "Resend code": refused until the wait is over
 * @throws ApiProblem `too-many-requests`
 */
export async function countMail(email: string, { again }: { again: boolean }): Promise<void> {
  const key = digest(email.toLowerCase());
  await (again ? consume('resend', key) : note('resend', key));
  await consume('mail-to-address', key);
}
