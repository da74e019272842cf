/** The public screens, by path. */
export const PUBLIC_SCREENS = [
  '/sign-in',
  '/sign-in/with-email-link',
  '/sign-in/enterprise',
  '/registration',
  '/forget-password',
  '/forget-password/instructions',
  '/forget-password/confirmation',
  '/actions',
  '/app-shell',
  '/no-such-page',
];
