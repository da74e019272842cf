import { foldName, hasLink, separateTitles } from '@/lib/shared/account/name-field';
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

const PASSKEY_NOTICES = ['passkey-added', 'passkey-removed', 'passkey-suspect'] as const;
export type PasskeyNotice = (typeof PASSKEY_NOTICES)[number];

/** Emails about a pending reset, which offer to cancel it. */
export const RESET_NOTICES = ['factor-reset-requested', 'factor-reset-reminder', 'factor-reset-warning'] as const;
export type ResetNotice = (typeof RESET_NOTICES)[number];

/** Emails to the former address about a change of the account's email, with a link that undoes it. */
export const EMAIL_CHANGE_NOTICES = ['email-change-requested', 'email-change-done'] as const;
export type EmailChangeNotice = (typeof EMAIL_CHANGE_NOTICES)[number];

/** Emails about another email, a new password, and removed methods or sessions. */
const CHANGE_NOTICES = [
  'email-changed',
  'email-restored',
  'account-locked',
  'password-changed',
  'method-removed',
  'methods-removed',
  'provider-refused',
  'methods-disconnected',
  'devices-signed-out',
  'support-change',
] as const;

/** The emails that this version can send. During an update, other kinds are left to the newer version. */
export const EMAIL_KINDS = [
  'new-sign-in',
  'disavowal-link',
  'sign-in-undone',
  'sign-in-unfinished',
  'deletion-requested',
  'deletion-reminder',
  'deletion-cancelled',
  'account-deleted',
  ...PASSKEY_NOTICES,
  ...SECOND_FACTOR_NOTICES,
  ...RESET_NOTICES,
  'factor-reset-cancelled',
  ...EMAIL_CHANGE_NOTICES,
  'email-change-here',
  'recovery-email-added',
  'recovery-email-removed',
  'recovery-email-gone',
  ...CHANGE_NOTICES,
] as const;
export type EmailKind = (typeof EMAIL_KINDS)[number];

const MAX_LENGTH = 60;
/** Letters and digits of any script, and the punctuation used in names. */
const PLAIN = /^[\p{L}\p{M}\p{N} .,&()+'’‘ʼ‐–·・-]+$/u;
/** Allows six digits, because email clients turn seven into a phone number link. */
const FEW_DIGITS = /^(?:\P{N}*\p{N}){0,6}\P{N}*$/u;

/**
 * Prepares a name for an email, and is the only way to include a name. Users choose their own name, and our emails must
 * not carry advertising.
 * @returns the folded name with a space after its titles, so that no email client takes it for a domain; null if it is
 *   not a short name
 */
export function getNameForEmail(name: string): string | null {
  const folded = separateTitles(foldName(name));
  const isPlain = folded.length <= MAX_LENGTH && PLAIN.test(folded) && FEW_DIGITS.test(folded);
  return isPlain && /\p{L}/u.test(folded) && !hasLink(folded) ? folded : null;
}

/** A sign-in method of an account, with its id at the identity provider and its partner. */
export type SignInMethod = { method: string; partner: { id: string; name: string } | null };

/**
 * `provider`: name of the password manager, null if unknown. `isAutomatic`: the browser created the passkey on its own
 * after a password sign-in.
 */
export type PasskeyEmail = { kind: PasskeyNotice; provider: string | null; isAutomatic: boolean };

export type SecondFactorEmail = { kind: SecondFactorNotice };

/** Sign-ins without the second factor. */
export type UnfinishedSignInEmail = {
  kind: 'sign-in-unfinished';
  /** All of them used the password as first factor. */
  isPassword: boolean;
  total: number;
  /** The last sign-ins. `at`: RFC 3339; `browser`, `system`: null if unknown. */
  attempts: readonly { at: string; browser: string | null; system: string | null }[];
};

/** A sign-in was disavowed. `removed`: sign-in methods, and for the second factor the kinds of its events. */
export type UndoneSignInEmail = { kind: 'sign-in-undone'; removed: SignInMethod[] };

/** What an operator of the support desk changed, by the name of its text. Other changes have emails of their own. */
export type SupportChange = 'signedOut' | 'disabled' | 'enabled' | 'unlocked' | 'emailChanged';

/** Every email of this product, with the values that it needs. */
export type EmailRequest =
  /** Omits the user's name, because a third party may have entered it. */
  | { kind: 'confirm'; code: string; link: string }
  | { kind: 'taken'; link: string }
  | { kind: 'reset'; code: string; link: string }
  | { kind: 'no-account'; email: string }
  | { kind: 'closed' }
  | { kind: 'methods'; methods: SignInMethod[] }
  | { kind: 'partner-gone' }
  /** `code`: absent if the previous release took the order. */
  | { kind: 'sign-in-link'; code?: string | undefined; link: string }
  /** Confirms an email only by link, for a user whose browser did not register it. */
  | { kind: 'verify-link'; link: string }
  /** Sent to an account's first email after a change, and does not name the new email. */
  | { kind: 'email-changed' }
  /** An operator of the support desk has changed the account. */
  | { kind: 'support-change'; change: SupportChange }
  /** Sets a new password. An operator of the support desk had it sent. */
  | { kind: 'support-reset'; link: string }
  /** A session has ended other sessions of its account. */
  | { kind: 'devices-signed-out' }
  /** The account was used in a new browser. `at`: RFC 3339; `browser`, `system`: null if unknown. */
  | {
      kind: 'new-sign-in' | 'disavowal-link';
      at: string;
      browser: string | null;
      system: string | null;
      link: string;
    }
  | UndoneSignInEmail
  /** `effectiveAt`: RFC 3339. */
  | { kind: 'deletion-requested' | 'deletion-reminder'; effectiveAt: string; link: string }
  | { kind: 'deletion-cancelled' | 'account-deleted' }
  | PasskeyEmail
  | SecondFactorEmail
  | UnfinishedSignInEmail
  /** Proves the mailbox for a reset of a lost second factor (docs/adr/0033). */
  | { kind: 'factor-reset-code'; code: string }
  /** `effectiveAt`: RFC 3339; `link`: cancels the reset. */
  | { kind: ResetNotice; effectiveAt: string; link: string }
  | { kind: 'factor-reset-cancelled' }
  /** Proves the mailbox of a new email of an account (docs/adr/0050). */
  | { kind: 'email-change'; code: string; link: string }
  /** Proves the mailbox of a new recovery email (docs/adr/0051). */
  | { kind: 'recovery-email'; code: string; link: string }
  /** Resets a password by the recovery email. `account`: the account's email. It has no link, because only the code ends with a removal. */
  | { kind: 'recovery-reset'; code: string; account: string }
  /** Another account has the email that an account should get. */
  | { kind: 'email-change-taken' }
  /** `link`: cancels or undoes the change. */
  | { kind: EmailChangeNotice; link: string }
  /** Sent to the account's email. `link`: removes the recovery email. */
  | { kind: 'recovery-email-added'; link: string }
  /** `recovery-email-gone`: sent to the former recovery email. */
  | { kind: 'recovery-email-removed' | 'recovery-email-gone' }
  /** Sent to the new email of an account. */
  | { kind: 'email-change-here' }
  /**
   * `kept`, `removed`: sign-in methods of the account. `email-restored` is sent to the proved email of an account after
   * its email was changed. `account-locked` is sent instead if another account has since proved that email.
   * `provider-refused`: an organization or partner asserted an email outside its domains.
   */
  | {
      kind: Exclude<(typeof CHANGE_NOTICES)[number], 'email-changed' | 'devices-signed-out' | 'support-change'>;
      kept: SignInMethod[];
      removed: SignInMethod[];
    };

export type ChangeEmail = Extract<EmailRequest, { kind: (typeof CHANGE_NOTICES)[number] }>;

/** These emails are not in the outbox. The request that asks for the email has it sent. */
const REQUESTED_KINDS = {
  confirm: true,
  taken: true,
  reset: true,
  'no-account': true,
  closed: true,
  methods: true,
  'partner-gone': true,
  'sign-in-link': true,
  'support-reset': true,
  'verify-link': true,
  'factor-reset-code': true,
  'email-change': true,
  'recovery-email': true,
  'recovery-reset': true,
  'email-change-taken': true,
} satisfies Record<Exclude<EmailRequest['kind'], EmailKind>, true>;

/** Every kind of email that this version sends. */
export const ALL_EMAIL_KINDS: readonly string[] = [...EMAIL_KINDS, ...Object.keys(REQUESTED_KINDS)];

/** Tells the owner what to do after a removal that another user may have caused. */
const INSTRUCTIONS = {
  'email-restored': 'mail:emailRestored.notYou',
  'methods-removed': 'mail:methodsRemoved.notYou',
  'provider-refused': 'mail:providerRefused.notYou',
  'methods-disconnected': 'mail:methodsDisconnected.notYou',
} as const satisfies Partial<Record<ChangeEmail['kind'], string>>;

const text = (content: string): Block => ({ kind: 'text', text: content });
const small = (content: string): Block => ({ kind: 'small', text: content });
const button = (label: string, href: string): Block => ({ kind: 'button', label, href });

/** Builds the email from the texts of `locales/en/mail.json`. The support address is at its end. */
export function buildEmail(request: EmailRequest, context: EmailContext): EmailContent {
  const t = getEmailTexts(context.language);
  const content = buildContent(request, context);
  return { ...content, blocks: [...content.blocks, small(t('mail:support', { support: context.support }))] };
}

function buildContent(request: EmailRequest, context: EmailContext): EmailContent {
  const { brandName: brand, language, origin } = context;
  const t = getEmailTexts(language);
  const key = request.kind.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
  /** @param values values of its subject, preview and heading */
  const email = (blocks: Block[], values: Record<string, string> = {}): EmailContent => ({
    subject: t(`mail:${key}.subject`, { brand, ...values }),
    preview: t(`mail:${key}.preview`, values),
    heading: t(`mail:${key}.heading`, { brand, ...values }),
    blocks,
  });
  const code = (value: string): Block => ({ kind: 'code', label: t('mail:codeLabel'), code: value });
  /**
   * Builds the "Secure my account" part, which is the same in every email about an account. By default it leads to a
   * new password, which needs only the mailbox and signs out all devices.
   * @param instruction what to do, and when
   */
  const secure = (instruction = t('mail:secure.notYou'), href = origin + paths.forgetPassword): Block => {
    return { kind: 'secure', text: instruction, label: t('mail:secure.button'), href };
  };
  switch (request.kind) {
    case 'confirm':
    case 'reset':
      return email(
        [
          text(t(`mail:${key}.text`, { brand })),
          code(request.code),
          text(t(`mail:${key}.orLink`)),
          button(t(`mail:${key}.button`), request.link),
          small(t(`mail:${key}.notYou`)),
        ],
        { code: request.code },
      );
    case 'taken':
      return email([
        text(t('mail:taken.text', { brand })),
        button(t('mail:taken.button'), origin + paths.signIn),
        text(t('mail:taken.forgotten')),
        button(t('mail:taken.reset'), request.link),
        small(t('mail:taken.notYou')),
      ]);
    case 'no-account':
      return email([
        text(t('mail:noAccount.text', { brand, email: request.email })),
        button(t('mail:noAccount.button'), origin + paths.registration),
        small(t('mail:noAccount.notYou')),
      ]);
    case 'methods':
      return email([...buttonsFor(request.methods, context), small(t('mail:methods.notYou'))]);
    case 'partner-gone':
      return {
        ...email([text(t('mail:partnerGone.text', { brand })), small(t('mail:methods.notYou'))]),
        subject: t('mail:methods.subject', { brand }),
      };
    case 'support-change':
      return email([text(t(`mail:supportChange.${request.change}`, { brand })), small(t('mail:supportChange.notYou'))]);
    case 'sign-in-link':
      return email([
        ...(request.code === undefined
          ? []
          : [
              text(t('mail:signInLink.text', { brand })),
              code(request.code),
              small(t('mail:signInLink.neverShare')),
              text(t('mail:signInLink.orLink')),
            ]),
        button(t('mail:signInLink.button'), request.link),
        small(t('mail:signInLink.notYou')),
      ]);
    case 'email-change':
    case 'recovery-email':
      return email(
        [
          text(t(`mail:${key}.text`, { brand })),
          code(request.code),
          small(t('mail:signInLink.neverShare')),
          text(t('mail:emailChange.orLink')),
          button(t(`mail:${key}.button`), request.link),
          small(t('mail:emailChange.notYou')),
        ],
        { code: request.code },
      );
    case 'recovery-reset':
      return email(
        [
          text(t('mail:recoveryReset.text', { brand, email: request.account })),
          code(request.code),
          small(t('mail:signInLink.neverShare')),
          small(t('mail:recoveryReset.notYou')),
        ],
        { code: request.code },
      );
    case 'recovery-email-gone':
      return email([text(t('mail:recoveryEmailGone.text', { brand })), small(t('mail:recoveryEmailGone.notYou'))]);
    case 'email-change-taken':
      return email([text(t('mail:emailChangeTaken.text', { brand })), small(t('mail:emailChangeTaken.notYou'))]);
    case 'email-change-requested':
    case 'email-change-done':
    case 'recovery-email-added':
    case 'support-reset':
    case 'verify-link':
      return email([
        text(t(`mail:${key}.text`, { brand })),
        button(t(`mail:${key}.button`), request.link),
        small(t(`mail:${key}.notYou`)),
      ]);
    case 'new-sign-in':
    case 'disavowal-link': {
      const facts = [
        [t('mail:newSignIn.when'), displayMomentInUtc(request.at, language)],
        [t('mail:newSignIn.device'), formatDevice(request, language)],
      ] as const;
      return email([
        text(t(`mail:${key}.text`, { brand })),
        { kind: 'facts', facts },
        ...(request.kind === 'new-sign-in' ? [text(t('mail:newSignIn.you'))] : []),
        secure(t(`mail:${key}.notYou`), request.link),
        small(t(`mail:${key}.expires`)),
      ]);
    }
    case 'sign-in-undone':
      return email([
        text(t('mail:signInUndone.text', { brand })),
        ...formatList('mail:methodList.removed', request.removed, language),
        secure(t('mail:signInUndone.next')),
      ]);
    case 'deletion-requested':
    case 'deletion-reminder': {
      const date = formatDay(request.effectiveAt, language);
      return email(
        [
          text(t(`mail:${key}.text`, { brand, date })),
          text(t('mail:deletionRequested.keep')),
          button(t('mail:deletionRequested.button'), request.link),
          small(t('mail:deletionRequested.notYou')),
        ],
        { date },
      );
    }
    case 'deletion-cancelled':
    case 'factor-reset-cancelled':
      return email([text(t(`mail:${key}.text`, { brand })), secure(t(`mail:${key}.notYou`))]);
    case 'account-deleted':
      return email([text(t('mail:accountDeleted.text', { brand })), small(t('mail:accountDeleted.notYou'))]);
    case 'passkey-added':
    case 'passkey-removed':
    case 'passkey-suspect': {
      const isAutomatic = request.isAutomatic && request.kind === 'passkey-added';
      const name = request.provider && getNameForEmail(request.provider);
      return email([
        text(isAutomatic ? t('mail:passkeyAdded.automatic', { brand }) : t(`mail:${key}.text`, { brand })),
        ...(name ? [{ kind: 'facts', facts: [[t('mail:passkeyAdded.place'), name]] } as const] : []),
        // A copied passkey is turned off already. The owner removes it on the Security page.
        request.kind === 'passkey-suspect'
          ? secure(t('mail:passkeySuspect.notYou'), origin + paths.security)
          : secure(),
      ]);
    }
    case 'sign-in-unfinished': {
      const { isPassword, total, attempts } = request;
      const by = isPassword ? 'byPassword' : 'byOther';
      const more = total - attempts.length;
      const facts = attempts.map(
        (attempt) => [displayMomentInUtc(attempt.at, language), formatDevice(attempt, language)] as const,
      );
      return {
        ...email([
          text(t(`mail:signInUnfinished.${by}.text`, { brand })),
          { kind: 'facts', facts },
          ...(more > 0 ? [text(t('mail:signInUnfinished.more', { count: more }))] : []),
          text(t('mail:signInUnfinished.you')),
          secure(
            t(`mail:signInUnfinished.${by}.notYou`),
            origin + (isPassword ? paths.forgetPassword : paths.security),
          ),
        ]),
        subject: t(`mail:signInUnfinished.${by}.subject`, { brand }),
      };
    }
    case 'email-changed':
      return email([text(t('mail:emailChanged.text', { brand })), text(t('mail:emailChanged.notYou'))]);
    case 'account-locked':
      return email([
        text(t('mail:accountLocked.text', { brand })),
        ...formatList('mail:methodList.removed', request.removed, language),
        small(t('mail:accountLocked.next')),
      ]);
    case 'email-restored':
    case 'methods-removed':
    case 'provider-refused':
    case 'methods-disconnected':
    case 'password-changed':
    case 'method-removed':
      return email([
        text(t(`mail:${key}.text`, { brand })),
        ...formatList('mail:methodList.removed', request.removed, language),
        ...formatList('mail:methodList.kept', request.kept, language),
        secure(request.kind in INSTRUCTIONS ? t(INSTRUCTIONS[request.kind as keyof typeof INSTRUCTIONS]) : undefined),
      ]);
    case 'factor-reset-code':
      return email(
        [text(t('mail:factorResetCode.text', { brand })), code(request.code), secure(t('mail:factorResetCode.notYou'))],
        { code: request.code },
      );
    case 'factor-reset-requested':
    case 'factor-reset-reminder':
    case 'factor-reset-warning': {
      const time = displayMomentInUtc(request.effectiveAt, language);
      return email(
        [
          text(t(`mail:${key}.text`, { brand, time })),
          text(t('mail:factorResetRequested.keep')),
          button(t('mail:factorResetRequested.button'), request.link),
          small(t('mail:factorResetRequested.notYou')),
        ],
        { time },
      );
    }
    case 'closed':
      return email([text(t('mail:closed.text', { brand }))]);
    // Devices were signed out, or the second factor changed.
    default:
      return email([text(t(`mail:${key}.text`, { brand })), secure()]);
  }
}

/** Builds a sentence that lists sign-in methods. Empty without methods. */
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
  if (method === 'factor-app-removed') return t('mail:methodList.app');
  if (method === 'recovery-codes-removed') return t('mail:methodList.codes');
  if (method === 'recovery-email-removed') return t('mail:methodList.recoveryEmail');
  if (method.startsWith('saml.')) return t('mail:methodList.enterprise');
  return partner?.name ?? getMethodName(method);
}

/**
 * Builds a button for each sign-in method. Without methods, such as after an import without a password, the button
 * leads to setting a password.
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
