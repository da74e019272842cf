import type { ServerResponse } from 'node:http';
import { createHash } from 'node:crypto';

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
