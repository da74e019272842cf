import { createHmac, randomUUID } from 'node:crypto';
import { nullOnProblem } from '@/lib/shared/problem';
import { env, deriveKeys } from '@/lib/server/runtime';
import { isSharedComputer, buildSetCookie, readHostCookie, type RequestCookies } from '@/lib/server/http';
import { LIFETIME } from '@/lib/shared/browser-cookies';
import { seal, unseal } from '@/lib/server/codes';

type KnownBrowser = { id: string; emails: readonly string[] };

/** Maximum number of emails per browser. The oldest are evicted. */
const MAX_EMAILS = 5;
const DIGEST_LENGTH = 22;
const SEPARATOR = ' ';

/**
 * Returns the browser's id if the email has signed in with it, otherwise null. The id does not authenticate the user.
 * It only gives this browser an email budget that third parties cannot exhaust (docs/adr/0006).
 */
export async function getKnownBrowser(req: RequestCookies, email: string): Promise<string | null> {
  const browser = await readBrowser(req);
  return browser && digestEmail(browser.id, email).some((digest) => browser.emails.includes(digest))
    ? browser.id
    : null;
}

/** Returns the id of a browser in which any email has signed in, otherwise null. */
export async function getBrowserId(req: RequestCookies): Promise<string | null> {
  return (await readBrowser(req))?.id ?? null;
}

/** Records that an email has signed in with this browser. @returns `Set-Cookie` values, or none on a shared computer */
export async function recordKnownBrowser(req: RequestCookies, email: string): Promise<string[]> {
  if (isSharedComputer(req)) return [];
  const { id, emails } = (await readBrowser(req)) ?? { id: randomUUID(), emails: [] };
  const [newest = '', ...older] = digestEmail(id, email);
  const kept = [...new Set([newest, ...emails.filter((digest) => !older.includes(digest))])].slice(0, MAX_EMAILS);
  return [buildSetCookie('knownBrowser', await sealBrowser({ id, emails: kept }))];
}

function sealBrowser({ id, emails }: KnownBrowser): Promise<string> {
  const exp = Math.floor(Date.now() / 1000) + LIFETIME.browser;
  return seal({ jti: id, mark: '', payload: { emails: emails.join(SEPARATOR) }, exp }, keysFor('seal'));
}

/** @returns null for an expired cookie, or a cookie that this server did not seal */
async function readBrowser(req: RequestCookies): Promise<KnownBrowser | null> {
  const cookie = readHostCookie(req, 'knownBrowser');
  const claims = cookie ? await nullOnProblem(unseal(cookie, keysFor('seal'))) : null;
  return claims && { id: claims.jti, emails: claims.payload.emails?.split(SEPARATOR) ?? [] };
}

/**
 * Computes HMACs with a key per browser and secret. Two cookies therefore do not reveal that they contain the same
 * email.
 */
function digestEmail(id: string, email: string): string[] {
  return keysFor('email').map((key) =>
    createHmac('sha256', key).update(`${id}.${email.toLowerCase()}`).digest('base64url').slice(0, DIGEST_LENGTH),
  );
}

function keysFor(use: 'seal' | 'email'): Uint8Array[] {
  return deriveKeys(env().TOKEN_ENCRYPTION_SECRET, `known-browser/${use}`);
}
