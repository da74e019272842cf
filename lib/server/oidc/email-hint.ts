import type { ServerResponse } from 'node:http';
import { createHash } from 'node:crypto';

/** As in lib/browser/account/carried-email.ts, which would be more to load for the sign-in page if it imported the name. */
const EMAIL_KEY = 'carried-email';

/**
 * Hands `login_hint` over to the sign-in page as an earlier step of this app would: in this tab's storage, and in no address. By a page of its
 * own, so that the sign-in page loads nothing more.
 */
export function sendEmailHint(res: ServerResponse, email: string, address: string): void {
  const item = `${quote(EMAIL_KEY)},${quote(email)}`;
  const script = `try{sessionStorage.setItem(${item})}catch{}location.replace(${quote(address)})`;
  const hash = createHash('sha256').update(script).digest('base64');
  const policy = `default-src 'none'; script-src 'sha256-${hash}'; base-uri 'none'; frame-ancestors 'none'`;
  res.setHeader('content-security-policy', policy);
  res.setHeader('content-type', 'text/html; charset=utf-8');
  const href = address.replaceAll('&', '&amp;');
  const withoutScript = `<noscript><meta http-equiv="refresh" content="0; url=${href}"></noscript>`;
  res.end(`<!doctype html><html><head><title></title>${withoutScript}<script>${script}</script></head></html>`);
}

/** A string of JavaScript that cannot end the element around it. */
function quote(text: string): string {
  const escape = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(text).replaceAll(/[<>&\u2028\u2029]/g, escape);
}
