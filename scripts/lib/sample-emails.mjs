const password = { method: 'password', partner: null };
const social = ['google.com', 'facebook.com'].map((method) => ({ method, partner: null }));
const organizations = [
  { method: 'saml.acme', partner: null },
  { method: 'oidc.acme', partner: { id: 'acme', name: 'Acme' } },
];

/** @param {string} mode */
const createLink = (mode, code = 'sample') => `http://localhost:3000/actions?mode=${mode}&oobCode=${code}`;
const longLink = createLink('verifyEmail', 'sample-code-of-the-usual-length-0123456789abcdef');

/** A sample of each email, with the longest and most unusual content that is allowed. */
export const sampleEmails = [
  { kind: 'confirm', code: '4K7QZ0', link: longLink },
  { kind: 'taken', link: createLink('resetPassword') },
  { kind: 'reset', code: '0X9ABT', link: createLink('resetPassword') },
  { kind: 'no-account', email: 'a-rather-long-name.with-dots@a-rather-long-domain.campus.test' },
  { kind: 'closed' },
  { kind: 'methods', methods: [password, ...social, ...organizations] },
  { kind: 'partner-gone' },
  { kind: 'sign-in-link', code: '0X9ABT', link: createLink('signIn') },
  { kind: 'verify-link', link: createLink('verifyEmail') },
  { kind: 'support-reset', link: createLink('resetPassword') },
  { kind: 'password-changed', kept: [password, ...organizations], removed: [] },
  { kind: 'method-removed', kept: [password], removed: social.slice(0, 1) },
  { kind: 'email-changed' },
  {
    kind: 'new-sign-in',
    at: '2026-11-21T10:42:00.000Z',
    browser: 'Firefox',
    system: 'Windows',
    link: createLink('disavowSignIn'),
  },
  {
    kind: 'new-sign-in',
    at: '2026-11-21T10:42:00.000Z',
    browser: null,
    system: null,
    link: createLink('disavowSignIn'),
  },
  {
    kind: 'disavowal-link',
    at: '2026-11-21T10:42:00.000Z',
    browser: 'Firefox',
    system: 'Windows',
    link: createLink('disavowSignIn'),
  },
  {
    kind: 'sign-in-undone',
    removed: ['google.com', 'passkey', 'factor-app-removed', 'recovery-codes-removed'].map((method) => ({
      ...{ method, partner: null },
    })),
  },
  { kind: 'deletion-requested', effectiveAt: '2026-11-30T09:00:00.000Z', link: createLink('keepAccount') },
  { kind: 'deletion-reminder', effectiveAt: '2026-11-30T09:00:00.000Z', link: createLink('keepAccount') },
  { kind: 'deletion-cancelled' },
  { kind: 'account-deleted' },
  { kind: 'methods-removed', kept: [password], removed: social },
  { kind: 'email-restored', kept: social, removed: [password] },
  { kind: 'account-locked', kept: [], removed: [password] },
  { kind: 'provider-refused', kept: [password], removed: social },
  { kind: 'methods-disconnected', kept: [password], removed: social },
  { kind: 'devices-signed-out' },
  ...['signedOut', 'disabled', 'enabled', 'unlocked', 'emailChanged'].map((change) => ({
    kind: 'support-change',
    change,
  })),
  ...['passkey-added', 'passkey-removed', 'passkey-suspect'].map((kind) => ({
    ...{ kind, provider: 'A password manager with a long name', isAutomatic: kind === 'passkey-added' },
  })),
  ...[
    ...['second-factor-on', 'second-factor-off', 'factor-app-added', 'factor-app-removed', 'recovery-code-used'],
    ...['recovery-codes-replaced', 'factor-locked', 'factor-reset-done'],
  ].map((kind) => ({ kind })),
  {
    ...{ kind: 'sign-in-unfinished', isPassword: true, total: 12 },
    attempts: [
      { at: '2026-11-21T10:42:00.000Z', browser: 'Firefox', system: 'Windows' },
      { at: '2026-11-21T10:41:00.000Z', browser: null, system: null },
    ],
  },
  { kind: 'factor-reset-code', code: '7M2KQ9' },
  { kind: 'email-change', code: '7M2KQ9', link: createLink('changeEmail') },
  { kind: 'email-change-taken' },
  { kind: 'email-change-requested', link: createLink('undoEmailChange') },
  { kind: 'email-change-done', link: createLink('undoEmailChange') },
  { kind: 'email-change-here' },
  { kind: 'recovery-email', code: '7M2KQ9', link: createLink('changeEmail') },
  { kind: 'recovery-reset', code: '0A1B2C', account: 'mia@campus.example' },
  { kind: 'recovery-email-added', link: createLink('undoEmailChange') },
  { kind: 'recovery-email-removed' },
  { kind: 'recovery-email-gone' },
  ...['factor-reset-requested', 'factor-reset-reminder', 'factor-reset-warning'].map((kind) => ({
    ...{ kind, effectiveAt: '2026-11-30T09:00:00.000Z', link: createLink('keepSecondFactor') },
  })),
  { kind: 'factor-reset-cancelled' },
];

const common = { origin: 'http://localhost:3000', support: 'support@campus.test' };

/** Brands of the sample origins. */
export const sampleSettings = {
  campus: { ...common, brandName: 'Campus', accent: '#1f5f5b' },
  acme: {
    ...common,
    origin: 'http://acme.localhost:3000',
    brandName: 'Acme Academy',
    accent: '#b3261e',
    hasOwnLogo: true,
  },
  // This color has too little contrast with white text, so the emails correct it.
  pale: { ...common, brandName: 'Pale School', accent: '#ffe14d' },
};
