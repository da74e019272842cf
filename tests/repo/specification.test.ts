import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/**
 * The specification by section. Each line has the title of the test that covers it, or the file that contains a value.
 * Screens are in `pages/`, and `tiers.test.ts` checks that each is opened in a browser. docs/product.md and docs/adr
 * decide what the specification leaves open. Not included: lab events, the consumed-event interval and the video
 * player's cookie, which belong to the learning platform. The timeout of fetched tracking parameters is missing,
 * because campaigns are read from the URL.
 */
const SPECIFICATION: Record<string, Record<string, readonly [file: string, text: string]>> = {
  '1. What the product does and for whom': {
    'sign in with email and password, and continue to the callback': [
      'tests/e2e/journey.spec.ts',
      'from the dashboard through sign-in and back, and out again',
    ],
    'sign in with an enterprise provider': [
      'tests/e2e/enterprise.spec.ts',
      'a work email signs in at its organization',
    ],
    'sign in with a social provider': ['tests/e2e/social.spec.ts', 'Google signs in by popup'],
    'follow an email-link sign-in': ['tests/e2e/email-link.spec.ts', 'the link signs in by itself on the same device'],
    'register and confirm an email address': [
      'tests/integration/registration.test.ts',
      'the code from the email confirms it',
    ],
    'reset a forgotten password': ['tests/e2e/recovery.spec.ts', 'a forgotten password is reset'],
    'change the password': [
      'tests/e2e/account-password.nightly.spec.ts',
      'changing the password keeps this browser signed in',
    ],
    'link accounts': ['tests/e2e/security.spec.ts', 'a method is linked and unlinked'],
    'branding by origin': ['lib/server/runtime/app-config.test.ts', 'reads an origin, and reloads the file'],
    'a loader while the config loads': ['tests/e2e/late-config.nightly.spec.ts', 'the page waits for a late config'],
    'theme by query or by stored preference': ['tests/e2e/theme.nightly.spec.ts', 'is kept for the next visit'],
    'usage to analytics, errors and replays to an error service': [
      'tests/e2e/services-outage.nightly.spec.ts',
      'both libraries load after the form is usable',
    ],
  },
  '2. Screens and routes': {
    'query redirect_uri': [
      'lib/shared/callback/browser.dom.test.ts',
      'stores the redirect_uri and removes it from the URL',
    ],
    'query notification': ['tests/e2e/auto-sign-in.nightly.spec.ts', 'the notification ${key} is shown'],
    'query theme': ['tests/e2e/theme.nightly.spec.ts', 'the query chooses ${theme}'],
    'text namespaces by route': ['lib/shared/i18n/reach.test.ts', 'loads the namespaces of its own route'],
    'en is the default language': ['lib/shared/i18n/languages.ts', "'en'"],
    'a page that needs a session returns by name': [
      'tests/integration/session-page.test.ts',
      'a visitor without a session signs in first and returns by name',
    ],
    'get-sentry-json-file': ['tests/integration/admin.test.ts', 'an operator downloads the error reporting settings'],
  },
  '3. Entities and their fields': {
    'signed-in user: uid, email, displayName, photoURL': ['lib/shared/session-contract.ts', 'photoURL'],
    'app config': ['lib/shared/config/app-config.test.ts', 'keeps good fields, ignores unknown ones'],
    showContinueWithoutLogin: [
      'components/sign-in/sign-in-screen.dom.test.tsx',
      'its link leads to it or is not there',
    ],
    showBetaResetPasswordBanner: ['components/sign-in/sign-in-screen.dom.test.tsx', 'a new password is offered'],
    enabledIdentities: ['lib/browser/auth/sign-in/providers.test.ts', 'can be enabled by an app config, and no others'],
    'campaign cookie kktc': ['lib/browser/analytics/campaign.dom.test.ts', 'keeps the first and latest campaigns'],
    'user properties': ['lib/browser/analytics/start.test.ts', 'sends every known user property of the specification'],
    'a record of aliases by address': ['lib/browser/analytics/mixpanel.dom.test.ts', 'creates each alias once'],
    'marketing-consent': ['lib/browser/analytics/campaign.dom.test.ts', 'records nothing without consent'],
    'lesson types and progress': ['lib/shared/courses/courses.test.ts', 'contains every type and status'],
    'the hidden lesson sidebar': [
      'tests/e2e/courses.nightly.spec.ts',
      'the lesson sidebar remembers whether it is open',
    ],
    'cookies of a session': ['tests/integration/session.test.ts', 'creates a session with every cookie as specified'],
    'last-active-time': [
      'lib/browser/session/session-poller.dom.test.ts',
      'writes last-active-time at most every 500 ms',
    ],
  },
  '4. States and transitions': {
    V3FirstLogin: ['tests/integration/account-password.test.ts', 'gets no session before a new password: V3FirstLogin'],
    V2FirstLogin: ['tests/integration/account-password.test.ts', 'is sent to the legacy sign-in: V2FirstLogin'],
    'a reset ends the legacy state': ['tests/integration/recovery.test.ts', 'removes the legacy claim, and no other'],
    'signed in by redirect': ['tests/e2e/social-redirect.nightly.spec.ts', '${name} signs in by redirect'],
    'signed in by custom token': [
      'tests/e2e/auto-sign-in.nightly.spec.ts',
      'a live session signs in to the provider again',
    ],
    'signing out in one tab signs out the others': [
      'tests/e2e/session-polling.nightly.spec.ts',
      'signing out in one tab signs the others out at once',
    ],
    'signing out is recorded once a session': [
      'lib/browser/analytics/start.dom.test.ts',
      'records the sign-out of a session once',
    ],
    'identity reset for another learner': ['lib/browser/analytics/analytics.dom.test.ts', 'resets for another learner'],
    'identify again after 100 ms and 1 s': [
      'lib/browser/analytics/analytics.dom.test.ts',
      'after 100 ms and after 1 s',
    ],
    'a password change re-authenticates first': [
      'tests/integration/account-password.test.ts',
      'needs the current password and a live session',
    ],
    'a callback is stored on start': [
      'lib/shared/callback/rules.test.ts',
      'stores the default dashboard if there is no stored',
    ],
    'direct-purchase flag': ['lib/shared/callback/browser.dom.test.ts', 'sets the direct-purchase flag for a purchase'],
  },
  '5. Validation rules': {
    'a code has 6 characters': [
      'components/ui/form/form-kit.dom.test.tsx',
      'accepts a pasted code with spaces, lower case',
    ],
    'form errors after 1500 ms': ['components/ui/form/form-kit.dom.test.tsx', 'shows an error 1500 ms after typing'],
    'which callback is accepted': [
      'lib/shared/callback/rules.test.ts',
      'is accepted only if the parsed URL is allowed',
    ],
    'the password and unknown providers are refused with a message': [
      'lib/browser/auth/sign-in/providers.test.ts',
      'rejects the password and unknown providers, with the message of the specification',
    ],
    'a password change needs a user': [
      'lib/browser/auth/sign-in/change-password.test.ts',
      'requires a user with an email',
    ],
    'analytics skips test addresses, more at run time': [
      'lib/browser/analytics/start.test.ts',
      'accepts more patterns at run time',
    ],
    'analytics is off on the server': ['lib/browser/analytics/analytics.dom.test.ts', 'does nothing on the server'],
    "the provider's password policy": [
      'tests/integration/password-policy.test.ts',
      'a password that the provider refuses',
    ],
  },
  '6. Roles and permissions': {
    'enterprise domains': [
      'tests/e2e/enterprise.nightly.spec.ts',
      'an organization is refused for an email outside its domains',
    ],
    partners: ['tests/e2e/partner.spec.ts', 'signs in with the partner and returns to the original callback'],
    kk_user_access_level: ['tests/integration/session.test.ts', 'gives the standard access level to all others'],
    'an admin token and no other role': ['tests/integration/admin.test.ts', '30 attempts a minute are the limit'],
  },
  '7. API calls': {
    'POST /api/create-user-session': ['tests/integration/session.test.ts', 'refuses a token that was revoked'],
    'POST /api/check-auth-status: 401': [
      'tests/integration/session.test.ts',
      'responds with 401 once a session has expired',
    ],
    'POST /api/initiate-logout': ['tests/integration/session.test.ts', 'ends the session on the server'],
    'GET /api/config/by-origin/{origin}': ['tests/integration/app-config.test.ts', 'any origin may read it'],
    'null and a report on failure': [
      'lib/server/web/page.test.ts',
      'reported and not cached if the identity host fails',
    ],
    'another deployment for the session calls': [
      'tests/integration/upstream.nightly.test.ts',
      'a session is created, checked and ended',
    ],
    'tunnel /monitoring': [
      'tests/integration/monitoring.test.ts',
      'an envelope for our DSN reaches a self-hosted service',
    ],
  },
  '8. Error catalog': {
    'every code has its text': ['lib/shared/i18n/texts.test.ts', 'has a text for every key in use'],
    'dropped: noise': ['lib/shared/error-reporting/options.test.ts', 'drops errors that match a rule'],
    'analytics errors are swallowed': [
      'lib/browser/analytics/analytics.dom.test.ts',
      'ignores a service that cannot be loaded',
    ],
    'promise timeout': ['lib/shared/promise-timeout.test.ts', 'rejects with timeout! after 2000 ms'],
  },
  '9. Business constants and limits': {
    'session 432000 s': ['lib/shared/session-contract.ts', '432_000'],
    'update 86400 s': ['lib/shared/session-contract.ts', '86_400'],
    'ID token 1200 s': ['lib/shared/session-contract.ts', '1_200'],
    'renewal after a day': ['tests/integration/session.test.ts', 'is due for renewal after a day'],
    'idle after 5000 ms': ['lib/browser/session/session-poller.dom.test.ts', 'is idle after 5000 ms without input'],
    'track waits up to 5 s': ['lib/browser/analytics/analytics.dom.test.ts', 'times out after 5 s'],
    'plugins up to 10 s': ['lib/browser/analytics/analytics.dom.test.ts', 'times out after 10 s'],
    'retry 3, backoff to 30 s': ['lib/browser/query-client.test.ts', 'retries three times'],
    'kept 5 minutes': ['lib/browser/query-client.test.ts', 'caches data for 5 minutes'],
    's-maxage=300, stale-while-revalidate=59': [
      'tests/e2e/caching.nightly.spec.ts',
      'responses have the caching headers',
    ],
    'toasts 5 s': ['components/ui/toaster.dom.test.tsx', 'shows a toast for 5 s'],
    'toasts bottom-right': ['components/ui/toaster.dom.test.tsx', 'shows it bottom-right'],
    'cookie lifetimes': ['lib/browser/cookies.dom.test.ts', 'keeps a cookie for the lifetime of the table'],
    'date formats': ['lib/browser/dates.test.ts', 'shows a date in the time zone of the reader'],
    'replays: rates and privacy': [
      'lib/shared/error-reporting/browser-client.dom.test.ts',
      'in the browser, replays are sampled, and have neither texts nor inputs nor media',
    ],
    'error reporting rates': ['lib/shared/error-reporting/options.test.ts', 'sends environment and release'],
  },
};

const lines = Object.entries(SPECIFICATION).flatMap(([section, entries]) =>
  Object.entries(entries).map(([line, [file, text]]) => ({ section, line, file, text })),
);

test.each(lines)('$section: $line', ({ file, text }) => {
  expect(text).not.toBe('');
  expect(readFileSync(file, 'utf8')).toContain(text);
});
