const password = { method: 'password', partner: null };
const social = ['google.com', 'facebook.com'].map((method) => ({ method, partner: null }));
const organizations = [
  { method: 'saml.acme', partner: null },
  { method: 'oidc.acme', partner: { id: 'acme', name: 'Acme' } },
];

/** One of each email, with the longest and most unusual content that is allowed. */
export const sampleEmails = [
  {
    kind: 'confirm',
    code: '4K7QZ0',
    link: 'http://localhost:3000/actions?mode=verifyEmail&oobCode=sample-code-of-the-usual-length-0123456789abcdef',
  },
  { kind: 'taken', link: 'http://localhost:3000/actions?mode=resetPassword&oobCode=sample' },
  { kind: 'reset', code: '0X9ABT', link: 'http://localhost:3000/actions?mode=resetPassword&oobCode=sample' },
  { kind: 'no-account', email: 'a-rather-long-name.with-dots@a-rather-long-domain.campus.test' },
  { kind: 'closed' },
  { kind: 'methods', ways: [password, ...social, ...organizations] },
  { kind: 'partner-gone' },
  { kind: 'sign-in-link', link: 'http://localhost:3000/actions?mode=signIn&oobCode=sample' },
  { kind: 'verify-link', link: 'http://localhost:3000/actions?mode=verifyEmail&oobCode=sample' },
  { kind: 'password-changed', kept: [password, ...organizations], removed: [] },
  { kind: 'methods-removed', kept: [password], removed: social },
];

/** Brands of the sample origins. */
export const sampleSettings = {
  campus: { origin: 'http://localhost:3000', brandName: 'Campus', accent: '#1f5f5b', support: 'support@campus.test' },
  acme: {
    origin: 'http://acme.localhost:3000',
    brandName: 'Acme Academy',
    accent: '#b3261e',
    support: 'support@campus.test',
  },
  // A color without enough contrast for white text: it is corrected.
  pale: {
    origin: 'http://localhost:3000',
    brandName: 'Pale School',
    accent: '#ffe14d',
    support: 'support@campus.test',
  },
};
