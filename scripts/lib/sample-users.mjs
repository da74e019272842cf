/** The password of each sample user of the local default that has a password (docs/development.md#the-loop). */
export const SAMPLE_PASSWORD = 'correct-horse-7';

const google = { providerId: 'google.com', uid: 'google-sample' };
const saml = { providerId: 'saml.acme', uid: 'erin@acme.test' };

/**
 * @typedef {{ uid: string, email: string, displayName: string, about: string, emailVerified?: boolean, disabled?:
 * boolean, claims?: object, provider?: { providerId: string, uid: string } }} SampleUser users with a `provider` have
 * no password
 * @type {SampleUser[]}
 */
export const sampleUsers = [
  { ...identify('learner', 'Lena Learner'), about: 'ready to go' },
  { ...identify('unverified', 'Umar Unverified'), about: 'email address not confirmed yet', emailVerified: false },
  { ...identify('legacy', 'Leo Legacy'), about: 'comes from the previous system', claims: { legacy: true } },
  { ...identify('disabled', 'Dana Disabled'), about: 'account closed by an operator', disabled: true },
  { ...identify('google', 'Gita Google'), about: 'Google only, no password', provider: google },
  {
    ...{ uid: 'sample-enterprise', email: 'erin@acme.test', displayName: 'Erin Enterprise' },
    ...{ about: 'company sign-in (SSO), no password', provider: saml },
  },
];

/** @param {string} id @param {string} displayName */
function identify(id, displayName) {
  return { uid: `sample-${id}`, email: `${id}@campus.test`, displayName };
}
