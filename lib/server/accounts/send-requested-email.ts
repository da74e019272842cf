import { sendEmail } from '@/lib/server/notifications';
import { emailConfirmation } from './confirmation';
import { emailReset, sendSignInHelp } from './recovery';
import { emailRegistrationAgain, registerAccount } from './registration';
import type { EmailOrder } from './requested-email';
import { retryWhileUnavailable } from '@/lib/server/identity';
import { requestSignInLink } from './sign-in-link';

/**
 * Reads the account and sends the email. May run again after it was interrupted anywhere: the email then has the same `Message-ID`.
 * @param attempt `repeatedSince`: when the email was requested, if it may have been sent before; null at the first attempt
 * @throws ApiProblem `mail-unavailable`, 503
 */
export async function sendRequestedEmail(
  { id, email, context: given }: EmailOrder,
  attempt: { repeatedSince: Date | null },
): Promise<void> {
  const context = { ...given, id };
  await retryWhileUnavailable(async () => {
    switch (email.kind) {
      case 'reset':
        return emailReset(email, context);
      case 'registration':
        return registerAccount(email, context, attempt);
      case 'registration-again':
        return emailRegistrationAgain(email, context);
      case 'confirmation':
        return emailConfirmation(email.pending, email.code, context);
      case 'sign-in-help':
        return sendSignInHelp(email.email, context);
      case 'sign-in-link':
        return requestSignInLink(email.email, context);
      case 'factor-reset-code':
        return sendEmail(email.email, { kind: 'factor-reset-code', code: email.code }, context);
    }
  });
}
