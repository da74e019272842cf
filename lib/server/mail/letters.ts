import { nameOfMethod } from '@/lib/auth/method-name';
import { paths } from '@/lib/paths';
import type { MailSetting } from './brand';
import type { Block, Letter } from './letter';
import { mailTexts } from './texts';

const text = (content: string): Block => ({ kind: 'text', text: content });
const small = (content: string): Block => ({ kind: 'small', text: content });
const button = (label: string, href: string): Block => ({ kind: 'button', label, href });

/** A way into an account: the identity provider's id of it, and the partner through whom it goes. */
export type WayIn = { method: string; partner: { id: string; name: string } | null };

/** Every letter this product writes, each from what it needs to know. */
export type LetterRequest =
  | { kind: 'confirm'; name: string; code: string; link: string }
  | { kind: 'taken'; link: string }
  | { kind: 'reset'; code: string; link: string }
  | { kind: 'no-account'; email: string }
  | { kind: 'closed' }
  | { kind: 'methods'; ways: WayIn[] }
  | { kind: 'partner-gone' }
  | { kind: 'sign-in-link'; link: string }
  | { kind: 'password-changed' };

/** @returns the letter in the words of `locales/en/mail.json`, with the support address at its end */
export function writeLetter(request: LetterRequest, setting: MailSetting): Letter {
  const t = mailTexts();
  const letter = contentOf(request, setting);
  return { ...letter, blocks: [...letter.blocks, small(t('mail:support', { support: setting.support }))] };
}

function contentOf(request: LetterRequest, setting: MailSetting): Letter {
  const t = mailTexts();
  const brand = setting.brandName;
  const at = (path: string) => setting.origin + path;
  switch (request.kind) {
    case 'confirm':
      return {
        subject: t('mail:confirm.subject', { brand, code: request.code }),
        preview: t('mail:confirm.preview'),
        heading: t('mail:confirm.heading', { name: request.name }),
        blocks: [
          text(t('mail:confirm.text', { brand })),
          { kind: 'code', label: t('mail:codeLabel'), code: request.code },
          text(t('mail:confirm.orLink')),
          button(t('mail:confirm.button'), request.link),
          small(t('mail:confirm.notYou')),
        ],
      };
    case 'taken':
      return {
        subject: t('mail:taken.subject', { brand }),
        preview: t('mail:taken.preview'),
        heading: t('mail:taken.heading'),
        blocks: [
          text(t('mail:taken.text', { brand })),
          button(t('mail:taken.button'), at(paths.signIn)),
          text(t('mail:taken.forgotten')),
          button(t('mail:taken.reset'), request.link),
          small(t('mail:taken.notYou')),
        ],
      };
    case 'reset':
      return {
        subject: t('mail:reset.subject', { brand, code: request.code }),
        preview: t('mail:reset.preview'),
        heading: t('mail:reset.heading'),
        blocks: [
          text(t('mail:reset.text', { brand })),
          { kind: 'code', label: t('mail:codeLabel'), code: request.code },
          text(t('mail:reset.orLink')),
          button(t('mail:reset.button'), request.link),
          small(t('mail:reset.notYou')),
        ],
      };
    case 'no-account':
      return {
        subject: t('mail:noAccount.subject', { brand }),
        preview: t('mail:noAccount.preview'),
        heading: t('mail:noAccount.heading'),
        blocks: [
          text(t('mail:noAccount.text', { brand, email: request.email })),
          button(t('mail:noAccount.button'), at(paths.registration)),
          small(t('mail:noAccount.notYou')),
        ],
      };
    case 'closed':
      return {
        subject: t('mail:closed.subject', { brand }),
        preview: t('mail:closed.preview'),
        heading: t('mail:closed.heading'),
        blocks: [text(t('mail:closed.text', { brand }))],
      };
    case 'methods':
      return {
        subject: t('mail:methods.subject', { brand }),
        preview: t('mail:methods.preview'),
        heading: t('mail:methods.heading'),
        blocks: [...buttonsFor(request.ways, setting), small(t('mail:methods.notYou'))],
      };
    case 'partner-gone':
      return {
        subject: t('mail:methods.subject', { brand }),
        preview: t('mail:partnerGone.preview'),
        heading: t('mail:partnerGone.heading'),
        blocks: [text(t('mail:partnerGone.text', { brand })), small(t('mail:methods.notYou'))],
      };
    case 'sign-in-link':
      return {
        subject: t('mail:signInLink.subject', { brand }),
        preview: t('mail:signInLink.preview'),
        heading: t('mail:signInLink.heading', { brand }),
        blocks: [
          text(t('mail:signInLink.text')),
          button(t('mail:signInLink.button'), request.link),
          small(t('mail:signInLink.notYou')),
        ],
      };
    case 'password-changed':
      return {
        subject: t('mail:passwordChanged.subject', { brand }),
        preview: t('mail:passwordChanged.preview'),
        heading: t('mail:passwordChanged.heading'),
        blocks: [
          text(t('mail:passwordChanged.text', { brand })),
          text(t('mail:passwordChanged.notYou')),
          button(t('mail:passwordChanged.button'), at(paths.forgetPassword)),
        ],
      };
  }
}

/** A button for each way in; who has none, such as somebody brought over without a password, is led to one. */
function buttonsFor(ways: readonly WayIn[], { origin, brandName: brand }: MailSetting): Block[] {
  const t = mailTexts();
  if (ways.length === 0)
    return [text(t('mail:methods.none', { brand })), button(t('mail:methods.choose'), origin + paths.forgetPassword)];
  return [text(t('mail:methods.text', { brand })), ...ways.map((way) => button(labelOf(way), origin + pageOf(way)))];
}

function labelOf({ method, partner }: WayIn): string {
  const t = mailTexts();
  if (method === 'password') return t('mail:methods.password');
  if (method.startsWith('saml.')) return t('mail:methods.enterprise');
  return t('mail:methods.provider', { provider: partner?.name ?? nameOfMethod(method) });
}

function pageOf({ method, partner }: WayIn): string {
  if (partner) return `${paths.partnerAuth}?${new URLSearchParams({ partner: partner.id }).toString()}`;
  return method.startsWith('saml.') ? paths.enterprise : paths.signIn;
}
