import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Children, isValidElement, type ReactNode } from 'react';
import type { PublicEnv } from '@/lib/shared/config/public-env';
import { paths, providerPages } from '@/lib/shared/paths';
import { SUPPORT_PAGE } from '@/lib/shared/support/desk';

type Directives = Record<string, readonly string[]>;

/**
 * Whether this is `next dev`. The build replaces NODE_ENV with "production", so a deployed server cannot be switched.
 */
function isDevelopment(): boolean {
  // oxlint-disable-next-line no-restricted-properties -- not configuration: the framework sets it
  return process.env.NODE_ENV === 'development';
}

/** Sources that only `next dev` needs. They must never reach a deployed page. */
export const DEVELOPMENT_SOURCES: Directives = {
  // React evaluates code to rebuild server call stacks. The framework injects inline scripts the document cannot hash.
  'script-src': ["'unsafe-inline'", "'unsafe-eval'"],
  // The error overlay injects its own style elements.
  'style-src': ["'unsafe-inline'"],
  // Fast Refresh. Some browsers do not match a WebSocket with 'self'.
  'connect-src': ['ws:'],
};

/**
 * Adds the sources that `next dev` needs to a policy. Hashes are removed: with one present, browsers ignore
 * 'unsafe-inline'.
 */
function allowDevelopmentSources(directives: Directives): Directives {
  return Object.fromEntries(
    Object.entries(directives).map(([name, sources]) => {
      const added = DEVELOPMENT_SOURCES[name];
      return [name, added ? [...sources.filter((source) => !source.startsWith("'sha256-")), ...added] : sources];
    }),
  );
}

type Inline = { type?: string; src?: string; dangerouslySetInnerHTML?: { __html: string }; children?: ReactNode };

/**
 * Hashes of all inline scripts and styles in a page's head, including those of the framework. Data blocks are not
 * scripts and need none.
 * @param node the head as React elements
 */
export function getInlineHashes(node: ReactNode): InlineHashes {
  const found = { scripts: [] as string[], styles: [] as string[] };
  collect(node, found);
  return found;
}

function collect(node: ReactNode, found: { scripts: string[]; styles: string[] }): void {
  Children.forEach(node, (child) => {
    if (!isValidElement<Inline>(child)) return;
    const { type, src, dangerouslySetInnerHTML: inner, children } = child.props;
    if (inner && child.type === 'script' && !src && (type === undefined || type === 'module'))
      found.scripts.push(hash(inner.__html));
    else if (inner && child.type === 'style') found.styles.push(hash(inner.__html));
    else collect(children, found);
  });
}

function hash(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

/**
 * Runs before all other scripts on a page. It keeps the last form submitted or button clicked before hydration
 * (`data-early`) and cancels the event. `Form` and `PageReady` replay it after hydration, so it runs exactly once. A
 * back or forward navigation before the router is ready reloads the page at that URL. Typed text stays in its field and
 * is not stored elsewhere.
 *
 * `data-late` on the document shows that the scripts have not arrived (components/layout/shell-parts.tsx). It is set if
 * a script failed to load, or 8 seconds after the event. The script is constant, so that the Content-Security-Policy
 * can list its hash.
 */
export const EARLY_SCRIPT = `(function(){var d=document,at=address(),last,failed;
function address(){return location.pathname+location.search}
function ready(e){return e.hasAttribute('data-ready')}
function keep(event,e){event.preventDefault();event.stopImmediatePropagation();
if(last)last.removeAttribute('data-early');last=e;e.setAttribute('data-early','');if(failed)late();else setTimeout(late,8000)}
function late(){d.documentElement.setAttribute('data-late','')}
addEventListener('error',function(event){if(event.target.tagName==='SCRIPT'){failed=1;if(last)late()}},true);
addEventListener('submit',function(event){if(!ready(event.target))keep(event,event.target)},true);
addEventListener('click',function(event){var e=!ready(d.documentElement)&&event.target.closest('button[type=button]');
if(e)keep(event,e)},true);
addEventListener('popstate',function(){if(!ready(d.documentElement)&&address()!==at)location.reload()})})();`;

const BUILT = '/_next/';
/** Keyed by URL. The number of style sheets in the build bounds it. */
const texts = new Map<string, string | null>();

/**
 * Reads a built style sheet. Pages inline it, so that the first paint needs only the document.
 * @param href as the framework links it
 * @returns null for a style sheet that is not ours, is on another host, or could close the element
 */
export function readStyleSheet(href: string): string | null {
  const found = texts.get(href);
  if (found !== undefined) return found;
  if (!href.startsWith(BUILT)) return null;
  try {
    const text = read(href.slice(BUILT.length));
    texts.set(href, text);
    return text;
  } catch {
    // Do not cache the failure, because a later page may succeed once the process has a free file handle.
    return null;
  }
}

function read(file: string): string | null {
  // oxlint-disable-next-line no-restricted-properties -- no configuration: the build writes it in (next.config.js)
  const folder = process.env.BUILD_FOLDER;
  if (!folder) return null;
  const text = readFileSync(path.resolve(folder, decodeURI(file)), 'utf8');
  // Relative URLs would resolve against the page.
  return /<\/style|@import|url\(/i.test(text) ? null : text;
}

/** Hashes of a page's inline scripts and styles, as `'sha256-…'` sources. */
type InlineHashes = { scripts: readonly string[]; styles: readonly string[] };

/** Our own endpoint for violation reports (CSP Level 3, section 5). */
const CSP_REPORT_PATH = '/api/csp-report';

/**
 * Google's loader of the sign-in frame, which the identity provider's SDK requests, and the library that the loader
 * requests. A path without a trailing slash allows only that file, and a path with a slash allows all files below it
 * (CSP Level 3, path-part matching).
 */
const GOOGLE_SCRIPTS = ['https://apis.google.com/js/api.js', 'https://apis.google.com/_/scs/abc-static/_/js/'];
const IDENTITY_PROVIDER = ['https://identitytoolkit.googleapis.com', 'https://securetoken.googleapis.com'];
const ANALYTICS = 'https://api-js.mixpanel.com';

/** What the support desk does not need. An operator types a token there, so it loads nothing from elsewhere. */
const DESK_SOURCES: Directives = {
  'img-src': ["'self'"],
  'font-src': ["'none'"],
  'manifest-src': ["'none'"],
  'worker-src': ["'none'"],
  'form-action': ["'none'"],
};

/**
 * Builds the Content-Security-Policy of a document. Inline code is allowed only by hash, so that pages can be cached.
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
    // Browsers also apply it to the redirect after a form. /sign-out redirects to a callback URL.
    'form-action': ["'self'", ...(env && page === paths.signOut ? callbackSources(env) : [])],
    ...(page === SUPPORT_PAGE ? DESK_SOURCES : {}),
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

/** The sign-in helper is on our own host or on the provider's. The emulator has its own helper. */
function helperSources({ appOrigin, firebase }: PublicEnv): string[] {
  const { protocol, host } = new URL(appOrigin);
  const helper = firebase.authDomain === host ? "'self'" : `${protocol}//${firebase.authDomain}`;
  return firebase.emulatorUrl === null ? [helper] : [helper, firebase.emulatorUrl];
}

/** Returns sources for every URL that the callback rules accept (lib/shared/callback/rules.ts). */
function callbackSources({ mainDomain, mobileScheme }: PublicEnv): string[] {
  const platforms = mainDomain === 'localhost' ? [] : [`https://${mainDomain}:*`, `https://*.${mainDomain}:*`];
  return [...platforms, 'http://localhost:*', 'https://localhost:*', `${mobileScheme}:`];
}

function serialize(directives: Record<string, readonly string[]>): string {
  return Object.entries(directives)
    .map(([name, sources]) => [name, ...new Set(sources)].join(' '))
    .join('; ');
}
