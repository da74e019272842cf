import { isLanguage, SOURCE_LANGUAGE } from '@/lib/shared/i18n/languages';
import type { EmailContext } from './brand';
import { renderEmailHtml, renderEmailText } from './email';
import { buildEmail, type EmailRequest } from './email-contents';
import { deliverEmail } from './transport';

export { assertMailServerReachable, isRefusedRecipient } from './transport';
export { getEmailContext, getOwnBrand, type EmailContext } from './brand';
export type { EmailRequest, SignInMethod } from './email-contents';

/** Builds an email and hands it to the SMTP server. @throws ApiProblem `mail-unavailable` */
export async function sendEmail(to: string, request: EmailRequest, context: EmailContext): Promise<void> {
  const content = composeEmail(request, context);
  await deliverEmail({ id: context.id, kind: request.kind, to, fromName: context.brandName, ...content });
}

/** Renders an email for delivery: subject, HTML and plain text. */
export function composeEmail(request: EmailRequest, given: EmailContext) {
  // Stored by a version with more languages, or with fewer.
  const language = given.language !== undefined && isLanguage(given.language) ? given.language : SOURCE_LANGUAGE;
  const context = { ...given, language };
  const content = buildEmail(request, context);
  const { brandName: name, accent, hasOwnLogo = false } = context;
  const brand = { name, accent, hasOwnLogo };
  const html = renderEmailHtml(content, brand, language);
  return { subject: content.subject, html, text: renderEmailText(content, brand) };
}
