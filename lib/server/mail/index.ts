import type { MailSetting } from './brand';
import { letterHtml, letterText } from './letter';
import { writeLetter, type LetterRequest } from './letters';
import { deliver } from './transport';

export { mailSettingOf, type MailSetting } from './brand';
export type { WayIn } from './letters';

/**
 * Writes a letter and hands it to the mail server.
 * @throws ApiProblem `mail-unavailable`
 */
export async function sendLetter(to: string, request: LetterRequest, setting: MailSetting): Promise<void> {
  await deliver({ to, fromName: setting.brandName, ...composeLetter(request, setting) });
}

/** A letter as it goes out: subject, HTML and plain text. */
export function composeLetter(request: LetterRequest, setting: MailSetting) {
  const letter = writeLetter(request, setting);
  const brand = { name: setting.brandName, accent: setting.accent };
  return { subject: letter.subject, html: letterHtml(letter, brand), text: letterText(letter, brand) };
}
