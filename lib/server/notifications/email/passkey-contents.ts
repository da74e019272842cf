import { paths } from '@/lib/shared/paths';
import type { EmailContext } from './brand';
import type { Block, EmailContent } from './email';
import { getEmailTexts } from './email-texts';
import { getNameForEmail } from './name';
import { buildSecureBlock } from './secure';

/** @param provider name of the password manager; null when unknown */
export type PasskeyEmail = {
  kind: 'passkey-added' | 'passkey-removed' | 'passkey-suspect';
  provider: string | null;
  /** The browser created it by itself, after a sign-in with a password. */
  isAutomatic: boolean;
};

const KEYS = { 'passkey-added': 'Added', 'passkey-removed': 'Removed', 'passkey-suspect': 'Suspect' } as const;

/** Emails about a change of an account's passkeys. */
export function buildPasskeyEmail({ kind, provider, isAutomatic }: PasskeyEmail, context: EmailContext): EmailContent {
  const t = getEmailTexts(context.language);
  const key = KEYS[kind];
  const brand = context.brandName;
  const name = provider && getNameForEmail(provider);
  const text = (content: string): Block => ({ kind: 'text', text: content });
  return {
    subject: t(`mail:passkey${key}.subject`, { brand }),
    preview: t(`mail:passkey${key}.preview`),
    heading: t(`mail:passkey${key}.heading`),
    blocks: [
      text(
        isAutomatic && key === 'Added'
          ? t('mail:passkeyAdded.automatic', { brand })
          : t(`mail:passkey${key}.text`, { brand }),
      ),
      ...(name ? [{ kind: 'facts', facts: [[t('mail:passkeyAdded.place'), name]] } as const] : []),
      // A copy is turned off already: the owner removes it on the Security page.
      key === 'Suspect'
        ? buildSecureBlock(context, t('mail:passkeySuspect.notYou'), context.origin + paths.security)
        : buildSecureBlock(context),
    ],
  };
}
