import { sendLetter } from '../mail';
import { actionLink } from './action-links';
import { issueConfirmation } from './confirmation';
import { findByEmail } from './find';
import { sendSignInHelp } from './recovery';
import type { Setting } from './registration';

/**
 * Mails a link that signs in, or whatever else helps the owner of the mailbox. An address nobody has confirmed is confirmed
 * first: a link would let its owner into an account whose password somebody else may have chosen.
 * @throws ApiProblem `mail-unavailable`, 503
 */
export async function requestSignInLink(email: string, setting: Setting): Promise<void> {
  const user = await findByEmail(email);
  if (!user || user.disabled) return sendSignInHelp(email, setting);
  if (!user.emailVerified) {
    await issueConfirmation({ uid: user.uid, email, name: user.displayName ?? '' }, setting);
    return;
  }
  await sendLetter(email, { kind: 'sign-in-link', link: await actionLink('signIn', email, setting) }, setting);
}
