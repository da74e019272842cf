import { expect, type BrowserContext, type Page } from '@playwright/test';
import { readFileSync } from 'node:fs';
import type { Services } from './services';

/** Searches everything that both services received, decompressed, and the app's log. */
export function expectAbsent(
  secrets: Iterable<string>,
  { analytics, errors, stack }: Services,
  emails: string[],
): void {
  const unseen = [...errors.arrived, readFileSync(stack.appLog, 'utf8')].map(unescaped).join('\n');
  const everything = [unseen, ...analytics.arrived.map(unescaped)].join('\n');
  for (const secret of secrets) expect(excerpt(everything, secret)).toBeNull();
  // Errors and logs must not contain a learner's email. Only analytics may.
  for (const email of emails) expect(excerpt(unseen, email)).toBeNull();
}

/** Collects long cookies, which are secrets: sessions and sealed data. */
export async function keepCookies(context: BrowserContext, secrets: Set<string>): Promise<void> {
  for (const { value } of await context.cookies()) if (value.length > 40 && !value.includes('%7B')) secrets.add(value);
}

/** Collects tokens and codes in URLs, which are secrets. The id of a flow is not (docs/adr/0022). */
export function keepParameters(address: string, secrets: Set<string>): void {
  const { searchParams, hash } = new URL(address);
  const parameters = [...searchParams, ...new URLSearchParams(hash.slice(1))];
  for (const [name, value] of parameters)
    if (name !== 'flow' && /^[\w.-]{6,}$/.test(value) && !/^(verifyEmail|resetPassword|signIn)$/.test(value))
      secrets.add(value);
}

/** Collects the identity provider's tokens during the journey, which are secrets. */
export function keepTokens(page: Page, secrets: Set<string>): void {
  page.on('request', (request) => {
    const body = request.postData();
    if (!request.url().includes('create-user-session') || body === null) return;
    const { token } = JSON.parse(body) as { token?: string };
    if (token) secrets.add(token);
  });
}

/** Decodes text that was URL-encoded any number of times. */
function unescaped(text: string): string {
  const decoded = text.replace(/(?:%(?:25)*[0-9A-Fa-f]{2})+/g, (code) => {
    try {
      return decodeURIComponent(code.replace(/%(?:25)+/g, '%'));
    } catch {
      return code;
    }
  });
  return `${text}\n${decoded}`;
}

/** Returns the text around a secret to identify its source. Null if the secret does not occur. */
function excerpt(text: string, secret: string): string | null {
  const at = text.indexOf(secret);
  return at === -1 ? null : text.slice(Math.max(0, at - 300), at + secret.length + 40);
}
