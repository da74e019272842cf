import { describe, expect, it } from 'vitest';
import {
  appCheckSchema,
  checkAppCheck,
  checkAuthorizedDomains,
  checkBlockingFunctions,
  checkEnumerationProtection,
  checkProviderFactors,
  checkProviders,
  checkRequestLog,
  checkSignInMethods,
  checkUserDeletion,
  settingsSchema,
} from './project-settings';
import { judgeClock } from './services';

/** Parses settings in the form that the Identity Toolkit API returns. */
const parse = (settings: object) => settingsSchema.parse(settings);
const BOTH = { beforeCreate: { functionUri: 'https://f.test/a' }, beforeSignIn: { functionUri: 'https://f.test/b' } };

it.each([
  [{ emailPrivacyConfig: { enableImprovedEmailPrivacy: true } }, 'works'],
  [{ emailPrivacyConfig: { enableImprovedEmailPrivacy: false } }, 'does not work'],
  [{ emailPrivacyConfig: {} }, 'does not work'],
  [{}, 'could not be checked'],
])('enumeration protection: %j %s', (settings, state) => {
  expect(checkEnumerationProtection(parse(settings)).state).toBe(state);
});

it.each([
  [['id.campus.example', 'localhost'], 'works'],
  [['campus.example', 'x-id.campus.example'], 'does not work'],
  [[], 'does not work'],
  [undefined, 'could not be checked'],
])('authorized domains: %j %s', (authorizedDomains, state) => {
  expect(checkAuthorizedDomains(parse({ authorizedDomains }), 'id.campus.example').state).toBe(state);
});

it.each([
  [{ state: 'DISABLED' }, 'works'],
  [{}, 'works'],
  [{ state: 'DISABLED', providerConfigs: [{ state: 'DISABLED' }] }, 'works'],
  [{ state: 'ENABLED', enabledProviders: ['PHONE_SMS'] }, 'does not work'],
  [{ state: 'MANDATORY' }, 'does not work'],
  [{ state: 'DISABLED', providerConfigs: [{ state: 'ENABLED', totpProviderConfig: {} }] }, 'does not work'],
  [undefined, 'could not be checked'],
])("the provider's own multi-factor authentication: %j %s", (mfa, state) => {
  expect(checkProviderFactors(parse({ mfa })).state).toBe(state);
});

const email = { enabled: true };
it.each([
  [{ email }, 'works'],
  [{ email: { enabled: true, passwordRequired: true } }, 'does not work'],
  [{ email: {} }, 'does not work'],
  [{}, 'does not work'],
  [{ email, anonymous: { enabled: true } }, 'does not work'],
  [{ email, phoneNumber: { enabled: true } }, 'does not work'],
  [{ email, anonymous: { enabled: false }, phoneNumber: {} }, 'works'],
  [undefined, 'could not be checked'],
])('sign-in methods: %j %s', (signIn, state) => {
  expect(checkSignInMethods(parse({ signIn })).state).toBe(state);
});

describe('providers', () => {
  it.each([
    [[], [], 'not configured', null],
    [['google.com'], ['google.com'], 'works', null],
    [['google.com', 'saml.acme'], ['google.com'], 'works', /Disable/],
    [['google.com'], ['google.com', 'saml.acme'], 'does not work', /Enable/],
    [[], ['oidc.linkedin'], 'does not work', /Enable/],
  ])('enabled %j, configured %j: %s', (enabled, configured, state, action) => {
    const finding = checkProviders({ enabled, configured });
    expect(finding.state).toBe(state);
    if (action) expect(finding.action).toMatch(action);
    else expect(finding.action).toBeNull();
  });
});

it.each([
  [{ triggers: BOTH }, ['saml.acme'], 'works'],
  [{ triggers: { beforeCreate: BOTH.beforeCreate } }, ['saml.acme'], 'does not work'],
  [{ triggers: { ...BOTH, beforeSignIn: {} } }, ['oidc.partner'], 'does not work'],
  [{}, ['saml.acme', 'google.com'], 'does not work'],
  [{}, ['oidc.linkedin', 'google.com'], 'not configured'],
  [{ triggers: {} }, [], 'not configured'],
  [undefined, ['saml.acme'], 'could not be checked'],
])('blocking functions: %j with %j %s', (blockingFunctions, providers, state) => {
  expect(checkBlockingFunctions(parse({ blockingFunctions }), providers).state).toBe(state);
});

it.each([
  [{ permissions: { disabledUserDeletion: true } }, 'works'],
  [{ permissions: { disabledUserSignup: true } }, 'not configured'],
  [{ apiKey: 'of the web app' }, 'could not be checked'],
  [undefined, 'could not be checked'],
])('deletion by clients: %j %s', (client, state) => {
  expect(checkUserDeletion(parse({ client })).state).toBe(state);
});

it.each([
  [{ requestLogging: { enabled: true } }, 'works'],
  [{ requestLogging: {} }, 'not configured'],
  [{}, 'not configured'],
  [undefined, 'could not be checked'],
])('request log: %j %s', (monitoring, state) => {
  expect(checkRequestLog(parse({ monitoring })).state).toBe(state);
});

it.each([
  [{ name: 'projects/1/services/identitytoolkit.googleapis.com', enforcementMode: 'ENFORCED' }, 'does not work'],
  [{ enforcementMode: 'UNENFORCED' }, 'works'],
  [{ name: 'projects/1/services/identitytoolkit.googleapis.com' }, 'works'],
])('App Check: %j %s', (service, state) => {
  expect(checkAppCheck(appCheckSchema.parse(service)).state).toBe(state);
});

it.each([
  [0, 'works'],
  [5, 'works'],
  [-5, 'works'],
  [5.1, 'does not work'],
  [-5.1, 'does not work'],
])('a clock %d s off: %s', (offset, state) => {
  expect(judgeClock(offset, 'the identity provider').state).toBe(state);
});
