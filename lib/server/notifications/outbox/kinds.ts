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

export const isSecondFactorNotice = createKindGuard(SECOND_FACTOR_NOTICES);
export const isResetNotice = createKindGuard(RESET_NOTICES);
