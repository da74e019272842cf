import { paths } from '@/lib/shared/paths';
import type { EmailContext } from './brand';
import type { Block } from './email';
import { getEmailTexts } from './email-texts';

/**
 * "Secure my account", the same in every email about an account: by default it leads to a new password, which needs the
 * mailbox alone and signs out all devices.
 * @param text what to do, and when
 */
export function buildSecureBlock(
  { origin, language }: Pick<EmailContext, 'origin' | 'language'>,
  text: string = getEmailTexts(language)('mail:secure.notYou'),
  href: string = origin + paths.forgetPassword,
): Block {
  return { kind: 'secure', text, label: getEmailTexts(language)('mail:secure.button'), href };
}
