import { displayMomentInUtc } from '@/lib/shared/moment';
import { paths } from '@/lib/shared/paths';
import type { SecondFactorNotice } from '../outbox/kinds';
import type { EmailContext } from './brand';
import type { Block, EmailContent } from './email';
import { formatDevice, getEmailTexts } from './email-texts';
import { buildSecureBlock } from './secure';

export type SecondFactorEmail = { kind: SecondFactorNotice };

/** Sign-ins whose second factor was not shown. */
export type UnfinishedSignInEmail = {
  kind: 'sign-in-unfinished';
  /** The first factor of all of them was the password. */
  isPassword: boolean;
  total: number;
  /** The last of them. @param at RFC 3339; `browser`, `system`: null when unknown */
  attempts: readonly { at: string; browser: string | null; system: string | null }[];
};

const KEYS = {
  'second-factor-on': 'secondFactorOn',
  'second-factor-off': 'secondFactorOff',
  'factor-app-added': 'factorAppAdded',
  'factor-app-removed': 'factorAppRemoved',
  'recovery-code-used': 'recoveryCodeUsed',
  'recovery-codes-replaced': 'recoveryCodesReplaced',
  'factor-locked': 'factorLocked',
  'factor-reset-done': 'factorResetDone',
} as const satisfies Record<SecondFactorNotice, string>;

/** Emails about a change of an account's second factor. */
export function buildSecondFactorEmail({ kind }: SecondFactorEmail, context: EmailContext): EmailContent {
  const t = getEmailTexts(context.language);
  const key = KEYS[kind];
  const brand = context.brandName;
  const text = (content: string): Block => ({ kind: 'text', text: content });
  return {
    subject: t(`mail:${key}.subject`, { brand }),
    preview: t(`mail:${key}.preview`),
    heading: t(`mail:${key}.heading`),
    blocks: [text(t(`mail:${key}.text`, { brand })), buildSecureBlock(context)],
  };
}

export function buildUnfinishedSignInEmail(
  { isPassword, total, attempts }: UnfinishedSignInEmail,
  context: EmailContext,
): EmailContent {
  const t = getEmailTexts(context.language);
  const brand = context.brandName;
  const key = isPassword ? 'byPassword' : 'byOther';
  const more = total - attempts.length;
  const facts = attempts.map((attempt): [string, string] => [
    displayMomentInUtc(attempt.at, context.language),
    formatDevice(attempt, context.language),
  ]);
  return {
    subject: t(`mail:signInUnfinished.${key}.subject`, { brand }),
    preview: t('mail:signInUnfinished.preview'),
    heading: t('mail:signInUnfinished.heading'),
    blocks: [
      { kind: 'text', text: t(`mail:signInUnfinished.${key}.text`, { brand }) },
      { kind: 'facts', facts },
      ...(more > 0 ? [{ kind: 'text', text: t('mail:signInUnfinished.more', { count: more }) } as const] : []),
      { kind: 'text', text: t('mail:signInUnfinished.you') },
      buildSecureBlock(
        context,
        t(`mail:signInUnfinished.${key}.notYou`),
        context.origin + (isPassword ? paths.forgetPassword : paths.security),
      ),
    ],
  };
}
