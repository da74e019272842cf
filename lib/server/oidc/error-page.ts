import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import path from 'node:path';
import { chooseRequestLanguage } from '@/lib/server/http';
import { getPublicEnv } from '@/lib/server/runtime';
import { getCallbackPolicy } from '@/lib/shared/config/public-env';
import { prepareTexts } from '@/lib/shared/i18n/complete';
import { SOURCE_LANGUAGE, describeLanguage, languageQuery, type Language } from '@/lib/shared/i18n/languages';
import { formatMessage, type Tree } from '@/lib/shared/i18n/messages';
import { paths } from '@/lib/shared/paths';
import type { OidcRoute } from './context';
import source from '@/locales/en/openid-error.json';

/**
 * Same key as in lib/browser/account/carried-email.ts. Importing the name from there would enlarge the sign-in page.
 */
export const EMAIL_KEY = 'carried-email';

/**
 * Redirects by a page instead of a redirect response.
 * @param items values for this tab's storage, like those of an earlier step of this app; they are in no URL
 */
export function sendRedirectPage(res: ServerResponse, address: string, items: Record<string, string> = {}): void {
  const stores = Object.entries(items).map(([key, value]) => `sessionStorage.setItem(${quote(key)},${quote(value)})`);
  const script = `${stores.length === 0 ? '' : `try{${stores.join(';')}}catch{}`}location.replace(${quote(address)})`;
  const hash = createHash('sha256').update(script).digest('base64');
  const policy = `default-src 'none'; script-src 'sha256-${hash}'; base-uri 'none'; frame-ancestors 'none'`;
  res.setHeader('content-security-policy', policy);
  res.setHeader('content-type', 'text/html; charset=utf-8');
  const href = address.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
  const withoutScript = `<noscript><meta http-equiv="refresh" content="0; url=${href}"></noscript>`;
  res.end(`<!doctype html><html><head><title></title>${withoutScript}<script>${script}</script></head></html>`);
}

/** Formats a JavaScript string that cannot end the surrounding element. */
function quote(text: string): string {
  const escape = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(text).replaceAll(/[<>&\u2028\u2029]/g, escape);
}

const STYLE =
  ':root{color-scheme:light dark}body{font:1.125rem/1.5 system-ui,sans-serif;max-width:34rem;margin:15vh auto;padding:0 1rem}h1{font-size:1.5rem}code{font-size:.9em;direction:ltr;unicode-bidi:isolate}';
const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

/**
 * `request`: the client's request was wrong. `expired`: the user took too long, or is in another browser.
 * `unavailable`: an outage. `sign-out`: a client's logout that was refused or is not possible now. `return`: the way
 * back to the client after it.
 */
export type ErrorKind = 'request' | 'expired' | 'unavailable' | 'sign-out' | 'sign-out-unavailable' | 'return';

/** Returns the kind of a failure by the user's intent. */
export function getErrorKind(route: OidcRoute, kind: 'request' | 'expired' | 'unavailable'): ErrorKind {
  if (route === 'signedOut') return 'return';
  if (route !== 'end_session') return kind;
  return kind === 'unavailable' ? 'sign-out-unavailable' : 'sign-out';
}

const TITLES: Record<ErrorKind, string> = {
  ...{ request: 'title', expired: 'title', unavailable: 'title' },
  ...{ 'sign-out': 'signOutTitle', 'sign-out-unavailable': 'signOutTitle', return: 'returnTitle' },
};
const TEXTS: Record<ErrorKind, string> = {
  ...{ request: 'request', expired: 'expired', unavailable: 'unavailable' },
  ...{ 'sign-out': 'signOut', 'sign-out-unavailable': 'signOutUnavailable', return: 'return' },
};

/**
 * Builds the error page for a user without a trusted client to return to. It shows what happened, what to do, and the
 * request id for operators.
 * @param code of OAuth or of our problems, from fixed lists
 */
export function buildErrorPage(
  req: Pick<IncomingMessage, 'headers' | 'url'>,
  { kind, code }: { kind: ErrorKind; code: string },
): { headers: Record<string, string>; html: string } {
  const uiLocales = new URL(req.url ?? '/', 'http://localhost').searchParams.get(languageQuery.uiLocales);
  const { language } = chooseRequestLanguage(req, { uiLocales });
  const { dir } = describeLanguage(language);
  const texts = { language, dir, messages: { 'openid-error': readTexts(language) } };
  const t = (key: string, values = {}) => escapeHtml(formatMessage(texts, 'common', key, values));
  const env = getPublicEnv();
  const brand = { brand: env.brandName };
  const link = (href: string, text: string) => `<p><a href="${escapeHtml(href)}">${text}</a></p>`;
  // The sign-out page gets this page's language.
  const query =
    uiLocales === null ? '' : `?${new URLSearchParams({ [languageQuery.uiLocales]: uiLocales }).toString()}`;
  const isAboutSignOut = TITLES[kind] === 'signOutTitle';
  const signOut = isAboutSignOut ? link(paths.signOut + query, t('openid-error:signOutHere', brand)) : '';
  const title = t(`openid-error:${TITLES[kind]}`);
  const requestId = [req.headers['x-request-id']].flat()[0] ?? '';
  const field = (name: string, value: string) =>
    `<p>${t(`openid-error:${name}`)} <code>${escapeHtml(value)}</code></p>`;
  const html = `<!doctype html>
<html lang="${language}" dir="${dir}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title><link rel="icon" href="/mark.svg"><style>${STYLE}</style></head>
<body><main><h1>${title}</h1><p>${t(`openid-error:${TEXTS[kind]}`)}</p>${signOut}${field('code', code)}${field('support', requestId)}
${link(getCallbackPolicy(env).dashboardUrl, t('openid-error:home', brand))}</main></body>
</html>`;
  const policy = `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; img-src 'self'; base-uri 'none'; frame-ancestors 'none'`;
  return { headers: { 'content-security-policy': policy, 'content-type': 'text/html; charset=utf-8' }, html };
}

function readTexts(language: Language): Tree {
  if (language === SOURCE_LANGUAGE) return source;
  const file = path.resolve('locales', language, 'openid-error.json');
  return prepareTexts(language, JSON.parse(readFileSync(file, 'utf8')) as Tree, source);
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
