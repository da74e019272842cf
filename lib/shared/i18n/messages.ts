import type accountName from '@/locales/en/account-name.json';
import type accountSettings from '@/locales/en/account-settings.json';
import type actions from '@/locales/en/actions.json';
import type addPasskey from '@/locales/en/add-passkey.json';
import type appShell from '@/locales/en/app-shell.json';
import type bounced from '@/locales/en/bounced.json';
import type common from '@/locales/en/common.json';
import type confirmationPassword from '@/locales/en/confirmation-password.json';
import type courses from '@/locales/en/courses.json';
import type dashboard from '@/locales/en/dashboard.json';
import type emailLink from '@/locales/en/email-link.json';
import type enterprise from '@/locales/en/enterprise.json';
import type forgetPassword from '@/locales/en/forget-password.json';
import type instructions from '@/locales/en/instructions.json';
import type keepAccount from '@/locales/en/keep-account.json';
import type linkAccount from '@/locales/en/link-account.json';
import type mobile from '@/locales/en/mobile.json';
import type newPassword from '@/locales/en/new-password.json';
import type notFound from '@/locales/en/not-found.json';
import type oneTimeCode from '@/locales/en/one-time-code.json';
import type partner from '@/locales/en/partner.json';
import type passkeys from '@/locales/en/passkeys.json';
import type problems from '@/locales/en/problems.json';
import type providers from '@/locales/en/providers.json';
import type registrationConfirm from '@/locales/en/registration-confirm.json';
import type registrationSuccess from '@/locales/en/registration-success.json';
import type registration from '@/locales/en/registration.json';
import type resetPasswordInit from '@/locales/en/reset-password-init.json';
import type resetPassword from '@/locales/en/reset-password.json';
import type secondFactor from '@/locales/en/second-factor.json';
import type security from '@/locales/en/security.json';
import type selfCheck from '@/locales/en/self-check.json';
import type setUpSecondFactor from '@/locales/en/set-up-second-factor.json';
import type signIn from '@/locales/en/sign-in.json';
import type signOut from '@/locales/en/sign-out.json';
import type twoStepVerification from '@/locales/en/two-step-verification.json';
import type { Language } from './languages';

/** `key_one`, `key_other` and `key_ordinal_two` are plural forms of `key`. */
type WithoutForm<Key extends string> = Key extends `${infer Stem}_ordinal_${Intl.LDMLPluralRule}`
  ? Stem
  : Key extends `${infer Stem}_${Intl.LDMLPluralRule}`
    ? Stem
    : Key;
type Keys<Tree> = {
  [Key in keyof Tree & string]: Tree[Key] extends string ? WithoutForm<Key> : `${Key}.${Keys<Tree[Key]>}`;
}[keyof Tree & string];

export type Namespace = keyof Catalog;
/** Key of a message in its own namespace, such as `fields.email`. */
export type MessageKey<N extends Namespace> = Keys<Catalog[N]>;
/** Key of a message with its namespace, such as `common:fields.email`. */
export type QualifiedKey = { [N in Namespace]: `${N}:${MessageKey<N>}` }[Namespace];

export type Tree = { [key: string]: string | Tree };
/** The messages loaded with a page, by namespace, and their language. */
export type Texts = { language: Language; dir: 'ltr' | 'rtl'; messages: Record<string, Tree> };
/** `count` selects the plural form, with `ordinal` that of "first, second". */
export type Values = Record<string, string | number | boolean | null | undefined> & {
  count?: number;
  ordinal?: boolean;
};

/**
 * Formats a message: dotted keys, `{{value}}` and plural forms as in i18next's JSON format, which a test verifies for
 * every message. Values are not escaped: React does that.
 * @param texts none on a page of the framework
 * @param namespace for keys that do not name one
 * @returns the key if there is no such message
 */
export function formatMessage(
  texts: Texts | undefined,
  namespace: Namespace,
  key: string,
  values: Values = {},
): string {
  const colon = key.indexOf(':');
  const path = key.slice(colon + 1);
  const parents = path.split('.');
  const last = parents.pop() ?? '';
  let place: Tree | string | undefined = texts?.messages[colon < 0 ? namespace : key.slice(0, colon)];
  for (const parent of parents) place = typeof place === 'object' ? place[parent] : undefined;
  const message =
    typeof place === 'object' ? (place[last + pluralForm(texts?.language, values)] ?? place[last]) : undefined;
  if (typeof message !== 'string') return path;
  return message.replace(/{{(\w+)}}/g, (_match, name: string) => String(values[name] ?? ''));
}

function pluralForm(language: Language | undefined, { count, ordinal = false }: Values): string {
  if (count === undefined) return '';
  const rules = new Intl.PluralRules(language, { type: ordinal ? 'ordinal' : 'cardinal' });
  return `${ordinal ? '_ordinal' : ''}_${rules.select(count)}`;
}

/**
 * Contents of the locale files, by namespace; message keys are typed from it. Emails have their own texts (mail.json).
 */
type Catalog = {
  'account-settings': typeof accountSettings;
  actions: typeof actions;
  'add-passkey': typeof addPasskey;
  'app-shell': typeof appShell;
  bounced: typeof bounced;
  common: typeof common;
  'confirmation-password': typeof confirmationPassword;
  courses: typeof courses;
  dashboard: typeof dashboard;
  'email-link': typeof emailLink;
  enterprise: typeof enterprise;
  'forget-password': typeof forgetPassword;
  instructions: typeof instructions;
  'keep-account': typeof keepAccount;
  'link-account': typeof linkAccount;
  mobile: typeof mobile;
  'account-name': typeof accountName;
  'new-password': typeof newPassword;
  'not-found': typeof notFound;
  'one-time-code': typeof oneTimeCode;
  partner: typeof partner;
  passkeys: typeof passkeys;
  problems: typeof problems;
  registration: typeof registration;
  'registration-confirm': typeof registrationConfirm;
  'registration-success': typeof registrationSuccess;
  'reset-password': typeof resetPassword;
  'reset-password-init': typeof resetPasswordInit;
  'second-factor': typeof secondFactor;
  security: typeof security;
  'self-check': typeof selfCheck;
  'set-up-second-factor': typeof setUpSecondFactor;
  providers: typeof providers;
  'sign-in': typeof signIn;
  'sign-out': typeof signOut;
  'two-step-verification': typeof twoStepVerification;
};
