import { chooseLanguage } from '@/lib/shared/i18n/choose-language';
import { env } from '@/lib/server/runtime';
import { getActionUrl } from '../action-links';
import { isRefusedRecipient, sendEmail, type EmailRequest } from '../email';
import { sealDeletionLink, sealDisavowalLink, sealResetLink } from '@/lib/server/codes';
import { sendWebhook } from '../webhooks/send';
import type { Notice, NoticeBrand, NoticeEmail } from './types';

/** Hands a notice to the mail server or the webhook's receiver. @throws ApiProblem `mail-unavailable`; WebhookError */
export async function sendNotice({
  id,
  body,
  language,
  receiver,
}: Pick<Notice, 'id' | 'body' | 'language' | 'receiver'>): Promise<void> {
  if (body.channel === 'webhook') return sendWebhook(receiver, id, body.event);
  const { to, email, brand } = body;
  // The account's own first: another person's request may have caused it.
  const chosen = chooseLanguage({ account: language, origin: brand.language }, env().LOCALES);
  await sendEmail(to, await toEmailRequest(email, to, brand), { ...brand, id, language: chosen.language });
}

async function toEmailRequest(email: NoticeEmail, to: string, { origin }: NoticeBrand): Promise<EmailRequest> {
  const target = { origin, callback: undefined };
  if ('deletion' in email) {
    const { kind, effectiveAt } = email;
    return { kind, effectiveAt, link: getActionUrl('keepAccount', await sealDeletionLink(email), target) };
  }
  if ('reset' in email) {
    const { kind, effectiveAt } = email;
    return { kind, effectiveAt, link: getActionUrl('keepSecondFactor', await sealResetLink(email), target) };
  }
  if ('session' in email) {
    const { kind, at, browser, system } = email;
    const code = await sealDisavowalLink({ ...email, to });
    return { kind, at, browser, system, link: getActionUrl('disavowSignIn', code, target) };
  }
  return email;
}

/** What the outbox stores of a failure: a kind of error and a status, never a message, which can contain an address. */
export function describeFailure(error: unknown): { code: string; isPermanent: boolean } {
  const source = error instanceof Error && error.name === 'ApiProblem' ? error.cause : error;
  const { code, responseCode, name } = (source ?? {}) as Record<'code' | 'responseCode' | 'name', unknown>;
  const words = [code ?? name, responseCode].filter((word) => typeof word === 'string' || typeof word === 'number');
  return { code: words.join(' ').slice(0, MAX_CODE_LENGTH) || 'unknown', isPermanent: isRefusedRecipient(source) };
}

const MAX_CODE_LENGTH = 60;
