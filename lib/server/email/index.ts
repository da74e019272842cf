import type { EmailContext } from './brand';
import { renderEmailHtml, renderEmailText } from './email';
import { buildEmail, type EmailRequest } from './email-contents';
import { deliverEmail } from './transport';

export { getEmailContext, type EmailContext } from './brand';
export type { SignInMethod } from './email-contents';

/**
 * Builds an email and hands it to the SMTP server.
 * @throws ApiProblem `mail-unavailable`
 */
export async function sendEmail(to: string, request: EmailRequest, context: EmailContext): Promise<void> {
  await deliverEmail({ kind: request.kind, to, fromName: context.brandName, ...composeEmail(request, context) });
}

/** Renders an email for delivery: subject, HTML and plain text. */
export function composeEmail(request: EmailRequest, context: EmailContext) {
  const content = buildEmail(request, context);
  const brand = { name: context.brandName, accent: context.accent };
  return { subject: content.subject, html: renderEmailHtml(content, brand), text: renderEmailText(content, brand) };
}
