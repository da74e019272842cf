/**
 * Sample users of the local default (docs/product.md#running). All share one password, except the two that have none.
 */
export const SAMPLE_PASSWORD = 'correct-horse-7';

/**
 * @typedef {{ uid: string, email: string, displayName: string, about: string, emailVerified?: boolean,
 *   disabled?: boolean, password?: string, claims?: Record<string, unknown>,
 *   provider?: { providerId: string, uid: string } }} SampleUser
 */

/** @type {SampleUser[]} */
export const sampleUsers = [
  {
    uid: 'sample-learner',
    email: 'learner@campus.test',
    displayName: 'Lena Learner',
    about: 'ready to go',
    password: SAMPLE_PASSWORD,
  },
  {
    uid: 'sample-unverified',
    email: 'unverified@campus.test',
    displayName: 'Umar Unverified',
    about: 'email address not confirmed yet',
    emailVerified: false,
    password: SAMPLE_PASSWORD,
  },
  {
    uid: 'sample-legacy',
    email: 'legacy@campus.test',
    displayName: 'Leo Legacy',
    about: 'comes from the previous system',
    password: SAMPLE_PASSWORD,
    claims: { legacy: true },
  },
  {
    uid: 'sample-disabled',
    email: 'disabled@campus.test',
    displayName: 'Dana Disabled',
    about: 'account closed by an operator',
    disabled: true,
    password: SAMPLE_PASSWORD,
  },
  {
    uid: 'sample-google',
    email: 'google@campus.test',
    displayName: 'Gita Google',
    about: 'Google only, no password',
    provider: { providerId: 'google.com', uid: 'google-sample' },
  },
  {
    uid: 'sample-enterprise',
    email: 'erin@acme.test',
    displayName: 'Erin Enterprise',
    about: 'company sign-in (SSO), no password',
    provider: { providerId: 'saml.acme', uid: 'erin@acme.test' },
  },
];
