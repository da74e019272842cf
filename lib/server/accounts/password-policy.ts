import { dictionary } from '@zxcvbn-ts/language-common';
import { ApiProblem } from '@/lib/api/problem';
import { personalPart } from '@/lib/account/password-rules';
import { env } from '@/lib/config/env';
import { processWide } from '../process-wide';

/** The shipped list of passwords that are tried first by everybody who guesses. */
const common = () => processWide('common-passwords', () => new Set(dictionary['passwords-common']));

/**
 * Refuses a new password that is easy to guess. Its length is the schema's business.
 * @throws ApiProblem `password-common`, or `password-personal` when it is made of the e-mail address or the brand
 */
export function checkPassword(password: string, email: string): void {
  if (personalPart(password, [email, env().NEXT_PUBLIC_BRAND_NAME])) throw new ApiProblem('password-personal');
  if (common().has(password.toLowerCase())) throw new ApiProblem('password-common');
}
