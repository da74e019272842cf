import { foldName, hasLink } from '@/lib/shared/account/name-field';
import { SOURCE_LANGUAGE, describeLanguage, type Language } from '@/lib/shared/i18n/languages';
import { displayMomentInUtc } from '@/lib/shared/moment';
import { paths } from '@/lib/shared/paths';
import { PASSKEY_METHOD, getMethodName } from '@/lib/shared/sign-in-methods';
import { formatDay, formatDevice, getEmailTexts, type EmailContext } from './brand';
import type { Block, EmailContent } from './email';

/** Emails about a change of an account's second factor. */
const SECOND_FACTOR_NOTICES = [
  'second-factor-on',
  'second-factor-off',
  'factor-app-added',
  'factor-app-removed',
  'recovery-code-used',
  'recovery-codes-replaced',
  'factor-locked',
  'factor-reset-done',
] as const;
export type SecondFactorNotice = (typeof SECOND_FACTOR_NOTICES)[number];

/** Emails about a passkey. */
const PASSKEY_NOTICES = ['passkey-added', 'passkey-removed', 'passkey-suspect'] as const;
export type PasskeyNotice = (typeof PASSKEY_NOTICES)[number];

/** Emails about a reset that runs, which offer to cancel it. */
export const RESET_NOTICES = ['factor-reset-requested', 'factor-reset-reminder', 'factor-reset-warning'] as const;
export type ResetNotice = (typeof RESET_NOTICES)[number];

/** The emails that this version can send. During an update, others are left to the newer version. */
export const EMAIL_KINDS = [
  'new-sign-in',
  'sign-in-unfinished',
  'deletion-requested',
  'deletion-reminder',
  'deletion-cancelled',
  'account-deleted',
  ...PASSKEY_NOTICES,
  ...SECOND_FACTOR_NOTICES,
  ...RESET_NOTICES,
  'factor-reset-cancelled',
] as const;
export type EmailKind = (typeof EMAIL_KINDS)[number];

const createKindGuard =
  <T extends string>(kinds: readonly T[]) =>
  <R extends { kind: string }>(email: R): email is Extract<R, { kind: T }> =>
    kinds.some((kind) => kind === email.kind);

const isSecondFactorNotice = createKindGuard(SECOND_FACTOR_NOTICES);
const isResetNotice = createKindGuard(RESET_NOTICES);

/**
 * "Secure my account", the same in every email about an account: by default it leads to a new password, which needs the
 * mailbox alone and signs out all devices.
 * @param text what to do, and when
 */
function buildSecureBlock(
  { origin, language }: Pick<EmailContext, 'origin' | 'language'>,
  text: string = getEmailTexts(language)('mail:secure.notYou'),
  href: string = origin + paths.forgetPassword,
): Block {
  return { kind: 'secure', text, label: getEmailTexts(language)('mail:secure.button'), href };
}

const MAX_LENGTH = 60;
/** Letters and digits of any script, and the punctuation used in names. */
const PLAIN = /^[\p{L}\p{M}\p{N} .,&()+'’‘ʼ‐–·・-]+$/u;
/** Email clients turn seven digits into a phone number link. */
const FEW_DIGITS = /^(?:\P{N}*\p{N}){0,6}\P{N}*$/u;

/**
 * The only way a name gets into an email: users choose their own name, and our emails must not carry advertising.
 * @returns the name, folded; null when it holds anything but a short name
 */
export function getNameForEmail(name: string): string | null {
  const folded = foldName(name);
  const isPlain = folded.length <= MAX_LENGTH && PLAIN.test(folded) && FEW_DIGITS.test(folded);
  return isPlain && /\p{L}/u.test(folded) && !hasLink(folded) ? folded : null;
}

type ResetEmail =
  /** To prove the mailbox for a reset. */
  | { kind: 'factor-reset-code'; code: string }
  /** @param effectiveAt RFC 3339; `link`: cancels the reset */
  | { kind: ResetNotice; effectiveAt: string; link: string }
  | { kind: 'factor-reset-cancelled' };

const RESET_KEYS = {
  'factor-reset-requested': 'factorResetRequested',
  'factor-reset-reminder': 'factorResetReminder',
  'factor-reset-warning': 'factorResetWarning',
} as const satisfies Record<ResetNotice, string>;

function isResetEmail<T extends { kind: string }>(email: T): email is Extract<T, ResetEmail> {
  return email.kind === 'factor-reset-code' || email.kind === 'factor-reset-cancelled' || isResetNotice(email);
}

/** Emails about the reset of a lost second factor (docs/adr/0033). */
function buildResetEmail(request: ResetEmail, context: EmailContext): EmailContent {
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
      const key = RESET_KEYS[request.kind];
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

/** @param provider name of the password manager; null when unknown */
type PasskeyEmail = {
  kind: PasskeyNotice;
  provider: string | null;
  /** The browser created it by itself, after a sign-in with a password. */
  isAutomatic: boolean;
};

const PASSKEY_KEYS = { 'passkey-added': 'Added', 'passkey-removed': 'Removed', 'passkey-suspect': 'Suspect' } as const;

/** Emails about a change of an account's passkeys. */
function buildPasskeyEmail({ kind, provider, isAutomatic }: PasskeyEmail, context: EmailContext): EmailContent {
  const t = getEmailTexts(context.language);
  const key = PASSKEY_KEYS[kind];
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

const FACTOR_KEYS = {
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
function buildSecondFactorEmail({ kind }: SecondFactorEmail, context: EmailContext): EmailContent {
  const t = getEmailTexts(context.language);
  const key = FACTOR_KEYS[kind];
  const brand = context.brandName;
  const text = (content: string): Block => ({ kind: 'text', text: content });
  return {
    subject: t(`mail:${key}.subject`, { brand }),
    preview: t(`mail:${key}.preview`),
    heading: t(`mail:${key}.heading`),
    blocks: [text(t(`mail:${key}.text`, { brand })), buildSecureBlock(context)],
  };
}

function buildUnfinishedSignInEmail(
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

const text = (content: string): Block => ({ kind: 'text', text: content });
const small = (content: string): Block => ({ kind: 'small', text: content });
const button = (label: string, href: string): Block => ({ kind: 'button', label, href });

/** A sign-in method of an account: its id at the identity provider, and the partner it belongs to. */
export type SignInMethod = { method: string; partner: { id: string; name: string } | null };

/** Every email this product sends, with the values it needs. */
export type EmailRequest =
  /** Without the user's name: a third party may have entered it. */
  | { kind: 'confirm'; code: string; link: string }
  | { kind: 'taken'; link: string }
  | { kind: 'reset'; code: string; link: string }
  | { kind: 'no-account'; email: string }
  | { kind: 'closed' }
  | { kind: 'methods'; methods: SignInMethod[] }
  | { kind: 'partner-gone' }
  | { kind: 'sign-in-link'; link: string }
  /** Confirms an email by link alone, for a user whose browser did not register it. */
  | { kind: 'verify-link'; link: string }
  /** To the first email of an account that has another one now; without that one. */
  | { kind: 'email-changed' }
  /** On a browser that the account has not been used on. @param at RFC 3339; `browser`, `system`: null when unknown */
  | { kind: 'new-sign-in'; at: string; browser: string | null; system: string | null; link: string }
  /** @param effectiveAt RFC 3339 */
  | { kind: 'deletion-requested' | 'deletion-reminder'; effectiveAt: string; link: string }
  | { kind: 'deletion-cancelled' | 'account-deleted' }
  | PasskeyEmail
  | SecondFactorEmail
  | UnfinishedSignInEmail
  | ResetEmail
  /** `kept`, `removed`: sign-in methods of the account. */
  | { kind: 'password-changed' | 'method-removed' | 'methods-removed'; kept: SignInMethod[]; removed: SignInMethod[] };

/** @returns the email with the texts of `locales/en/mail.json`, with the support address at its end */
export function buildEmail(request: EmailRequest, context: EmailContext): EmailContent {
  const t = getEmailTexts(context.language);
  const content = buildContent(request, context);
  return { ...content, blocks: [...content.blocks, small(t('mail:support', { support: context.support }))] };
}

function buildContent(request: EmailRequest, context: EmailContext): EmailContent {
  const { brandName: brand, language } = context;
  const t = getEmailTexts(language);
  const at = (path: string) => context.origin + path;
  if (isSecondFactorNotice(request)) return buildSecondFactorEmail(request, context);
  if (isResetEmail(request)) return buildResetEmail(request, context);
  switch (request.kind) {
    case 'confirm':
      return {
        subject: t('mail:confirm.subject', { brand, code: request.code }),
        preview: t('mail:confirm.preview'),
        heading: t('mail:confirm.heading'),
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
        blocks: [...buttonsFor(request.methods, context), small(t('mail:methods.notYou'))],
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
    case 'verify-link':
      return {
        subject: t('mail:verifyLink.subject', { brand }),
        preview: t('mail:verifyLink.preview'),
        heading: t('mail:verifyLink.heading'),
        blocks: [
          text(t('mail:verifyLink.text', { brand })),
          button(t('mail:verifyLink.button'), request.link),
          small(t('mail:verifyLink.notYou')),
        ],
      };
    case 'new-sign-in':
      return {
        subject: t('mail:newSignIn.subject', { brand }),
        preview: t('mail:newSignIn.preview'),
        heading: t('mail:newSignIn.heading'),
        blocks: [
          text(t('mail:newSignIn.text', { brand })),
          {
            kind: 'facts',
            facts: [
              [t('mail:newSignIn.when'), displayMomentInUtc(request.at, language)],
              [t('mail:newSignIn.device'), formatDevice(request, language)],
            ],
          },
          text(t('mail:newSignIn.you')),
          buildSecureBlock(context, t('mail:newSignIn.notYou'), request.link),
          small(t('mail:newSignIn.expires')),
        ],
      };
    case 'deletion-requested':
    case 'deletion-reminder': {
      const kind = request.kind === 'deletion-requested' ? 'Requested' : 'Reminder';
      const date = formatDay(request.effectiveAt, language);
      return {
        subject: t(`mail:deletion${kind}.subject`, { brand, date }),
        preview: t(`mail:deletion${kind}.preview`),
        heading: t(`mail:deletion${kind}.heading`, { date }),
        blocks: [
          text(t(`mail:deletion${kind}.text`, { brand, date })),
          text(t('mail:deletionRequested.keep')),
          button(t('mail:deletionRequested.button'), request.link),
          small(t('mail:deletionRequested.notYou')),
        ],
      };
    }
    case 'deletion-cancelled':
      return {
        subject: t('mail:deletionCancelled.subject', { brand }),
        preview: t('mail:deletionCancelled.preview'),
        heading: t('mail:deletionCancelled.heading'),
        blocks: [
          text(t('mail:deletionCancelled.text', { brand })),
          buildSecureBlock(context, t('mail:deletionCancelled.notYou')),
        ],
      };
    case 'account-deleted':
      return {
        subject: t('mail:accountDeleted.subject', { brand }),
        preview: t('mail:accountDeleted.preview'),
        heading: t('mail:accountDeleted.heading'),
        blocks: [text(t('mail:accountDeleted.text', { brand })), small(t('mail:accountDeleted.notYou'))],
      };
    case 'passkey-added':
    case 'passkey-removed':
    case 'passkey-suspect':
      return buildPasskeyEmail(request, context);
    case 'sign-in-unfinished':
      return buildUnfinishedSignInEmail(request, context);
    case 'email-changed':
      return {
        subject: t('mail:emailChanged.subject', { brand }),
        preview: t('mail:emailChanged.preview'),
        heading: t('mail:emailChanged.heading'),
        blocks: [text(t('mail:emailChanged.text', { brand })), text(t('mail:emailChanged.notYou'))],
      };
    case 'methods-removed':
      return {
        subject: t('mail:methodsRemoved.subject', { brand }),
        preview: t('mail:methodsRemoved.preview'),
        heading: t('mail:methodsRemoved.heading'),
        blocks: [
          text(t('mail:methodsRemoved.text', { brand })),
          ...formatList('mail:methodList.removed', request.removed, language),
          ...formatList('mail:methodList.kept', request.kept, language),
          buildSecureBlock(context, t('mail:methodsRemoved.notYou')),
        ],
      };
    case 'method-removed':
      return {
        subject: t('mail:methodRemoved.subject', { brand }),
        preview: t('mail:methodRemoved.preview'),
        heading: t('mail:methodRemoved.heading'),
        blocks: [
          text(t('mail:methodRemoved.text', { brand })),
          ...formatList('mail:methodList.removed', request.removed, language),
          ...formatList('mail:methodList.kept', request.kept, language),
          buildSecureBlock(context),
        ],
      };
    case 'password-changed':
      return {
        subject: t('mail:passwordChanged.subject', { brand }),
        preview: t('mail:passwordChanged.preview'),
        heading: t('mail:passwordChanged.heading'),
        blocks: [
          text(t('mail:passwordChanged.text', { brand })),
          ...formatList('mail:methodList.removed', request.removed, language),
          ...formatList('mail:methodList.kept', request.kept, language),
          buildSecureBlock(context),
        ],
      };
  }
}

/** A sentence that lists sign-in methods; empty when there are none. */
function formatList(
  key: 'mail:methodList.removed' | 'mail:methodList.kept',
  methods: readonly SignInMethod[],
  language: Language = SOURCE_LANGUAGE,
): Block[] {
  if (methods.length === 0) return [];
  const names = methods.map((method) => formatMethod(method, language));
  return [text(getEmailTexts(language)(key, { methods: names.join(describeLanguage(language).comma) }))];
}

function formatMethod({ method, partner }: SignInMethod, language: Language = SOURCE_LANGUAGE): string {
  const t = getEmailTexts(language);
  if (method === 'password' || method === PASSKEY_METHOD) return t(`mail:methodList.${method}`);
  if (method.startsWith('saml.')) return t('mail:methodList.enterprise');
  return partner?.name ?? getMethodName(method);
}

/**
 * A button for each sign-in method. A user without one, such as a user imported without a password, gets a button to
 * set a password.
 */
function buttonsFor(methods: readonly SignInMethod[], { origin, brandName: brand, language }: EmailContext): Block[] {
  const t = getEmailTexts(language);
  if (methods.length === 0)
    return [text(t('mail:methods.none', { brand })), button(t('mail:methods.choose'), origin + paths.forgetPassword)];
  return [
    text(t('mail:methods.text', { brand })),
    ...methods.map((method) => button(getButtonLabel(method, language), origin + getSignInPage(method))),
  ];
}

function getButtonLabel({ method, partner }: SignInMethod, language: Language = SOURCE_LANGUAGE): string {
  const t = getEmailTexts(language);
  if (method === 'password' || method === PASSKEY_METHOD) return t(`mail:methods.${method}`);
  const provider = getNameForEmail(partner?.name ?? getMethodName(method));
  if (method.startsWith('saml.') || provider === null) return t('mail:methods.enterprise');
  return t('mail:methods.provider', { provider });
}

function getSignInPage({ method, partner }: SignInMethod): string {
  if (partner) return `${paths.partnerAuth}?${new URLSearchParams({ partner: partner.id }).toString()}`;
  return method.startsWith('saml.') ? paths.enterprise : paths.signIn;
}
