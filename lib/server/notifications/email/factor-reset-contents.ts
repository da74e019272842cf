import { displayMomentInUtc } from '@/lib/shared/moment';
import { isResetNotice, type ResetNotice } from '../outbox/kinds';
import type { EmailContext } from './brand';
import type { Block, EmailContent } from './email';
import { getEmailTexts } from './email-texts';
import { buildSecureBlock } from './secure';

export type ResetEmail =
  /** To prove the mailbox for a reset. */
  | { kind: 'factor-reset-code'; code: string }
  /** @param effectiveAt RFC 3339; `link`: cancels the reset */
  | { kind: ResetNotice; effectiveAt: string; link: string }
  | { kind: 'factor-reset-cancelled' };

const KEYS = {
  'factor-reset-requested': 'factorResetRequested',
  'factor-reset-reminder': 'factorResetReminder',
  'factor-reset-warning': 'factorResetWarning',
} as const satisfies Record<ResetNotice, string>;

export function isResetEmail<T extends { kind: string }>(email: T): email is Extract<T, ResetEmail> {
  return email.kind === 'factor-reset-code' || email.kind === 'factor-reset-cancelled' || isResetNotice(email);
}

/** Emails about the reset of a lost second factor (docs/adr/0033). */
export function buildResetEmail(request: ResetEmail, context: EmailContext): EmailContent {
  const t = getEmailTexts(context.language);
  const brand = context.brandName;
  const text = (content: string): Block => ({ kind: 'text', text: content });
  switch (request.kind) {
    case 'factor-reset-code':
      return {
        subject: t('mail:factorResetCode.subject', { brand, code: request.code }),
        preview: t('mail:factorResetCode.preview'),
        heading: t('mail:factorResetCode.heading'),
        blocks: [
          text(t('mail:factorResetCode.text', { brand })),
          { kind: 'code', label: t('mail:codeLabel'), code: request.code },
          buildSecureBlock(context, t('mail:factorResetCode.notYou')),
        ],
      };
    case 'factor-reset-cancelled':
      return {
        subject: t('mail:factorResetCancelled.subject', { brand }),
        preview: t('mail:factorResetCancelled.preview'),
        heading: t('mail:factorResetCancelled.heading'),
        blocks: [
          text(t('mail:factorResetCancelled.text', { brand })),
          buildSecureBlock(context, t('mail:factorResetCancelled.notYou')),
        ],
      };
    default: {
      const key = KEYS[request.kind];
      const time = displayMomentInUtc(request.effectiveAt, context.language);
      return {
        subject: t(`mail:${key}.subject`, { brand }),
        preview: t(`mail:${key}.preview`),
        heading: t(`mail:${key}.heading`, { time }),
        blocks: [
          text(t(`mail:${key}.text`, { brand, time })),
          text(t('mail:factorResetRequested.keep')),
          { kind: 'button', label: t('mail:factorResetRequested.button'), href: request.link },
          { kind: 'small', text: t('mail:factorResetRequested.notYou') },
        ],
      };
    }
  }
}
