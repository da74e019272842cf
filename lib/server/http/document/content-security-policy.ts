import type { PublicEnv } from '@/lib/shared/config/public-env';
import { allowDevelopmentSources, isDevelopment } from './development-policy';
import { paths, providerPages } from '@/lib/shared/paths';

/** Hashes of a page's inline scripts and styles, as `'sha256-…'` sources. */
export type InlineHashes = { scripts: readonly string[]; styles: readonly string[] };

/** Our own endpoint for violation reports (CSP Level 3, section 5). */
export const CSP_REPORT_PATH = '/api/csp-report';

/**
 * Google's loader of the sign-in frame, which the identity provider's SDK requests, and the library it loads in turn. A
 * path without a trailing slash allows that one file, one with a slash allows everything below it (CSP Level 3,
 * path-part matching).
 */
const GOOGLE_SCRIPTS = ['https://apis.google.com/js/api.js', 'https://apis.google.com/_/scs/abc-static/_/js/'];
const IDENTITY_PROVIDER = ['https://identitytoolkit.googleapis.com', 'https://securetoken.googleapis.com'];
const ANALYTICS = 'https://api-js.mixpanel.com';

/**
 * The Content-Security-Policy of a document. Inline code is allowed by hash only, so that pages can be cached.
 * @param env null for pages that work without configuration, which make no network requests
 * @param page the route of the document; pages reached by client-side navigation keep its policy
 */
export function buildContentSecurityPolicy(
  env: PublicEnv | null,
  { scripts, styles }: InlineHashes,
  page: string,
): string {
  const helper = env && providerPages.includes(page) ? helperSources(env) : null;
  const directives: Record<string, readonly string[]> = {
    'default-src': ["'none'"],
    'script-src': ["'self'", ...scripts, ...(helper ? GOOGLE_SCRIPTS : [])],
    'style-src': ["'self'", ...styles],
    // A brand's logo and a learner's picture can be on any host.
    'img-src': ["'self'", 'data:', 'https:'],
    'font-src': ["'self'"],
    'manifest-src': ["'self'"],
    'connect-src': ["'self'", ...(env ? connections(env) : [])],
    'frame-src': helper ?? ["'none'"],
    // The session replay library compresses recordings in a worker that it creates from a blob.
    'worker-src': ["'self'", ...(env?.sentry ? ['blob:'] : [])],
    // Browsers apply it to the redirect after a form, too: /sign-out redirects to a callback URL.
    'form-action': ["'self'", ...(env && page === paths.signOut ? callbackSources(env) : [])],
    'base-uri': ["'none'"],
    'object-src': ["'none'"],
    'frame-ancestors': ["'none'"],
    'report-uri': [CSP_REPORT_PATH],
    'report-to': ['csp'],
    ...(env?.appOrigin.startsWith('https:') ? { 'upgrade-insecure-requests': [] } : {}),
  };
  return serialize(isDevelopment() ? allowDevelopmentSources(directives) : directives);
}

/** Directives that a `meta` element must not contain (HTML, section 4.2.5.3). */
const HEADER_ONLY = ['frame-ancestors', 'report-uri', 'report-to'];

/** Reduces the policy to the directives allowed in a `meta` element. */
export function toMetaPolicy(policy: string): string {
  return policy
    .split('; ')
    .filter((directive) => !HEADER_ONLY.some((name) => directive.startsWith(name)))
    .join('; ');
}

function connections({ firebase, mixpanel, identityOrigin, appOrigin }: PublicEnv): string[] {
  const provider = firebase.emulatorUrl === null ? IDENTITY_PROVIDER : [new URL(firebase.emulatorUrl).origin];
  const analytics = mixpanel ? [mixpanel.apiHost === null ? ANALYTICS : new URL(mixpanel.apiHost).origin] : [];
  return [...provider, ...analytics, ...(identityOrigin === appOrigin ? [] : [identityOrigin])];
}

/** The sign-in helper is on our own host or on the provider's; the emulator has its own. */
function helperSources({ appOrigin, firebase }: PublicEnv): string[] {
  const { protocol, host } = new URL(appOrigin);
  const helper = firebase.authDomain === host ? "'self'" : `${protocol}//${firebase.authDomain}`;
  return firebase.emulatorUrl === null ? [helper] : [helper, firebase.emulatorUrl];
}

/** Every URL that the callback rules accept (lib/shared/callback/rules.ts). */
function callbackSources({ mainDomain, mobileScheme }: PublicEnv): string[] {
  const platforms = mainDomain === 'localhost' ? [] : [`https://${mainDomain}:*`, `https://*.${mainDomain}:*`];
  return [...platforms, 'http://localhost:*', 'https://localhost:*', `${mobileScheme}:`];
}

function serialize(directives: Record<string, readonly string[]>): string {
  return Object.entries(directives)
    .map(([name, sources]) => [name, ...new Set(sources)].join(' '))
    .join('; ');
}
