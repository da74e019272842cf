import type { PublicEnv } from '@/lib/config/public-env';

/** What a page holds inline, as `'sha256-…'` sources. */
export type InlineHashes = { scripts: readonly string[]; styles: readonly string[] };

/** Where violations are reported; our own endpoint (CSP Level 3, section 5). */
export const CSP_REPORT_PATH = '/api/csp-report';

/** Google's loader of the sign-in frame, which the identity provider's SDK asks for. */
const GOOGLE_LOADER = 'https://apis.google.com';
const IDENTITY_PROVIDER = ['https://identitytoolkit.googleapis.com', 'https://securetoken.googleapis.com'];
const ANALYTICS = 'https://api-js.mixpanel.com';

/**
 * The Content-Security-Policy of a page: nothing inline but what is named by its hash, so that pages can be cached.
 * @param env null for pages that stand without configuration, which talk to nobody
 */
export function contentSecurityPolicy(env: PublicEnv | null, { scripts, styles }: InlineHashes): string {
  const emulator = env?.firebase.emulatorUrl ?? null;
  const helper = env ? helperOrigin(env) : null;
  return serialise({
    'default-src': ["'none'"],
    'script-src': ["'self'", ...scripts, ...(env ? [GOOGLE_LOADER] : [])],
    'style-src': ["'self'", ...styles],
    // A brand's logo, and a learner's picture, come from anywhere.
    'img-src': ["'self'", 'data:', 'https:'],
    'font-src': ["'self'"],
    'manifest-src': ["'self'"],
    'connect-src': ["'self'", ...(env ? connections(env) : [])],
    'frame-src': helper || emulator ? [...present(helper), ...present(emulator)] : ["'none'"],
    // Session recordings are packed in a worker that the library makes of its own text.
    'worker-src': ["'self'", ...(env?.sentry ? ['blob:'] : [])],
    'form-action': ["'self'"],
    'base-uri': ["'none'"],
    'object-src': ["'none'"],
    'frame-ancestors': ["'none'"],
    'report-uri': [CSP_REPORT_PATH],
    'report-to': ['csp'],
    ...(env?.appOrigin.startsWith('https:') ? { 'upgrade-insecure-requests': [] } : {}),
  });
}

/** Directives that a `meta` element may not give (HTML, section 4.2.5.3). */
const HEADER_ONLY = ['frame-ancestors', 'report-uri', 'report-to'];

/** The policy as a `meta` element may say it. */
export function policyForMeta(policy: string): string {
  return policy.split('; ').filter((directive) => !HEADER_ONLY.some((name) => directive.startsWith(name))).join('; '); // prettier-ignore
}

function connections({ firebase, mixpanel, identityOrigin, appOrigin }: PublicEnv): string[] {
  const provider = firebase.emulatorUrl === null ? IDENTITY_PROVIDER : [new URL(firebase.emulatorUrl).origin];
  const analytics = mixpanel ? [mixpanel.apiHost === null ? ANALYTICS : new URL(mixpanel.apiHost).origin] : [];
  return [...provider, ...analytics, ...(identityOrigin === appOrigin ? [] : [identityOrigin])];
}

/** The sign-in helper lives on our own host, or on the provider's. */
function helperOrigin({ appOrigin, firebase }: PublicEnv): string {
  const { protocol, host } = new URL(appOrigin);
  return firebase.authDomain === host ? "'self'" : `${protocol}//${firebase.authDomain}`;
}

const present = (source: string | null) => (source === null ? [] : [source]);

function serialise(directives: Record<string, readonly string[]>): string {
  return Object.entries(directives).map(([name, sources]) => [name, ...new Set(sources)].join(' ')).join('; '); // prettier-ignore
}
