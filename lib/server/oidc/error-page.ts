import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import path from 'node:path';
import { chooseRequestLanguage } from '@/lib/server/http';
import { getPublicEnv } from '@/lib/server/runtime';
import { getCallbackPolicy } from '@/lib/shared/config/public-env';
import { prepareTexts } from '@/lib/shared/i18n/complete';
import { SOURCE_LANGUAGE, describeLanguage, type Language } from '@/lib/shared/i18n/languages';
import { formatMessage, type Tree } from '@/lib/shared/i18n/messages';
import source from '@/locales/en/openid-error.json';

/** As in lib/browser/account/carried-email.ts, which would be more to load for the sign-in page if it imported the name. */
const EMAIL_KEY = 'carried-email';

/**
 * Leads on by a page of its own instead of a redirect. With an email, the page hands it over as an earlier step of this app would: in this
 * tab's storage, and in no address; so the sign-in page loads nothing more for `login_hint`.
 */
export function sendRedirectPage(res: ServerResponse, address: string, email: string | null = null): void {
  const item = email === null ? '' : `try{sessionStorage.setItem(${quote(EMAIL_KEY)},${quote(email)})}catch{}`;
  const script = `${item}location.replace(${quote(address)})`;
  const hash = createHash('sha256').update(script).digest('base64');
  const policy = `default-src 'none'; script-src 'sha256-${hash}'; base-uri 'none'; frame-ancestors 'none'`;
  res.setHeader('content-security-policy', policy);
  res.setHeader('content-type', 'text/html; charset=utf-8');
  const href = address.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
  const withoutScript = `<noscript><meta http-equiv="refresh" content="0; url=${href}"></noscript>`;
  res.end(`<!doctype html><html><head><title></title>${withoutScript}<script>${script}</script></head></html>`);
}

/** A string of JavaScript that cannot end the element around it. */
function quote(text: string): string {
  const escape = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(text).replaceAll(/[<>&\u2028\u2029]/g, escape);
}

const STYLE =
  ':root{color-scheme:light dark}body{font:1.125rem/1.5 system-ui,sans-serif;max-width:34rem;margin:15vh auto;padding:0 1rem}h1{font-size:1.5rem}code{font-size:.9em}';
const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

/** `request`: the client sent something wrong; `expired`: the user took too long, or is in another browser; `unavailable`: an outage. */
export type ErrorKind = 'request' | 'expired' | 'unavailable';

/**
 * What a user sees when there is no client to return to, or none that may be trusted: what happened, and what to do.
 * @param code of OAuth or of our problems, from fixed lists
 */
export function buildErrorPage(
  req: Pick<IncomingMessage, 'headers'>,
  { kind, code }: { kind: ErrorKind; code: string },
): { headers: Record<string, string>; html: string } {
  const { language } = chooseRequestLanguage(req);
  const { dir } = describeLanguage(language);
  const texts = { language, dir, messages: { 'openid-error': readTexts(language) } };
  const t = (key: string, values = {}) => escapeHtml(formatMessage(texts, 'common', key, values));
  const env = getPublicEnv();
  const home = escapeHtml(getCallbackPolicy(env).dashboardUrl);
  const html = `<!doctype html>
<html lang="${language}" dir="${dir}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${t('openid-error:title')}</title><style>${STYLE}</style></head>
<body><main><h1>${t('openid-error:title')}</h1><p>${t(`openid-error:${kind}`)}</p><p>${t('openid-error:code')} <code>${escapeHtml(code)}</code></p>
<p><a href="${home}">${t('openid-error:home', { brand: env.brandName })}</a></p></main></body>
</html>`;
  const policy = `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; frame-ancestors 'none'`;
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
