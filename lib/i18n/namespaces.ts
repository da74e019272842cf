/** Which text namespaces a page loads (specification, section 2): three everywhere, more by route prefix. */
const EVERYWHERE = ['common', 'dashboard', 'not-found'] as const;

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
 * @param route a route of this app, without query
 * @returns namespaces in the order in which they are added
 */
export function namespacesFor(route: string): string[] {
  const matching = Object.entries(BY_PREFIX).filter(([prefix]) => route === prefix || route.startsWith(`${prefix}/`));
  return [...EVERYWHERE, ...matching.map(([, namespace]) => namespace)];
}
