/** The text namespaces that a page loads: three on every page, and more by route prefix. */
const EVERYWHERE = ['common', 'dashboard', 'not-found'] as const;

/** Namespaces of docs/product.md#routes. */
const BY_PREFIX = {
  '/sign-in': 'sign-in',
  '/registration': 'registration',
  '/registration/confirm': 'registration-confirm',
  '/registration/success': 'registration-success',
  '/first-login-reset-password': 'reset-password-init',
  '/forget-password': 'forget-password',
  '/forget-password/instructions': 'instructions',
  '/forget-password/reset': 'reset-password',
  '/forget-password/confirmation': 'confirmation-password',
  '/account-settings/change-password': 'account-settings',
} as const;

/**
 * Not in the specification: messages that few pages show. Other pages omit them, because their initial response must
 * fit into the first packets of a connection. reach.test.ts verifies that a page has all messages that it can show.
 */
const OURS = {
  'self-check': ['/self-check'],
  'sign-out': ['/sign-out'],
  partner: ['/partner-auth'],
  mobile: ['/mobile'],
  actions: ['/actions'],
  'app-shell': ['/app-shell', '/security', '/user/courses', '/account-settings/change-password'],
  security: ['/security', '/sign-in/add-passkey', '/sign-in/set-up-second-factor'],
  courses: ['/user/courses'],
  'add-passkey': ['/sign-in/add-passkey'],
  'keep-account': ['/sign-in/keep-account'],
  'second-factor': ['/sign-in/second-factor', '/sign-in/set-up-second-factor'],
  'set-up-second-factor': ['/sign-in/set-up-second-factor'],
  providers: ['/sign-in', '/registration'],
  passkeys: ['/sign-in', '/security'],
  'two-step-verification': ['/security', '/sign-in/add-passkey', '/sign-in/set-up-second-factor'],
  enterprise: ['/sign-in/enterprise'],
  'email-link': ['/sign-in/with-email-link'],
  'link-account': ['/sign-in/link-account'],
  bounced: ['/sign-in', '/registration', '/partner-auth'],
  'account-name': ['/registration', '/security'],
  'new-password': [
    '/registration',
    '/first-login-reset-password',
    '/forget-password/instructions',
    '/forget-password/reset',
    '/account-settings/change-password',
    '/actions',
  ],
  'reset-password': ['/forget-password/instructions'],
  'one-time-code': [
    '/sign-in/with-email-link',
    '/registration/confirm',
    '/forget-password/instructions',
    '/forget-password/reset',
    '/sign-in/second-factor',
    '/security',
  ],
  'current-password': [
    '/account-settings/change-password',
    '/security',
    '/sign-in/add-passkey',
    '/sign-in/set-up-second-factor',
  ],
  problems: [
    '/sign-in/with-email-link',
    '/sign-in/second-factor',
    '/registration',
    '/first-login-reset-password',
    '/forget-password',
    '/account-settings/change-password',
    '/security',
    '/actions',
  ],
} as const;

/**
 * @param route a route of this app, without query
 * @returns namespaces in load order
 */
export function namespacesFor(route: string): string[] {
  const isUnder = (prefix: string) => route === prefix || route.startsWith(`${prefix}/`);
  const specified = Object.entries(BY_PREFIX).filter(([prefix]) => isUnder(prefix));
  const ours = Object.entries(OURS).filter(([, prefixes]) => prefixes.some(isUnder));
  return [...EVERYWHERE, ...specified.map(([, namespace]) => namespace), ...ours.map(([namespace]) => namespace)];
}
